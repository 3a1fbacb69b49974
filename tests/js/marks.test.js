import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Marks } from '../../src/lanner/web/static/marks.js';

test('what a mark says is listed with the comma of its language', () => {
  const marks = {
    app: { t: key => ({ comma: '، ' })[key] },
    bar: () => ({ dataset: { missing: 'ناقص' } }),
    option: (_, field, value) => ({ name: `${field} ${value}` }),
  };
  const said = Marks.prototype.named.call(marks, null, { missing: true, severity: 'major' });
  assert.equal(said, 'ناقص، severity major');
});

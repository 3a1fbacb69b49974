import assert from 'node:assert/strict';
import { test } from 'node:test';
import { memory } from '../../src/lanner/web/static/db.js';
import { digest } from '../../src/lanner/web/static/digest.js';
import { Outbox } from '../../src/lanner/web/static/outbox.js';

const spent = { elapsed: 2, active: 1 };

/** An outbox over a server that answers as the test says; time passes when the test says so. */
function box(answers, db = memory()) {
  const sent = [],
    states = [],
    stored = [],
    naps = [],
    told = [];
  let n = 0,
    id = 100;
  const send = async (_url, body) => {
    sent.push(structuredClone(body));
    const answer = answers.shift() ?? 200;
    if (answer === 'down') throw new TypeError('network');
    if (typeof answer !== 'number') return answer;
    if (answer !== 200) return { status: answer, body: { message: 'no' } };
    const names = Object.keys(body.answers);
    const saved = Object.fromEntries(names.map(q => [q, ++id]));
    const digests = Object.fromEntries(names.map(q => [q, digest(body.answers[q])]));
    return { status: 200, body: { saved, digests } };
  };
  const outbox = new Outbox({
    db,
    who: 'w',
    send,
    uuid: () => `u${++n}`,
    now: () => new Date(1e12 + n),
    status: (state, waiting) => states.push(`${state} ${waiting}`),
    acknowledged: (_, ids) => told.push([ids, outbox.waiting]),
    stored: sealed => stored.push(sealed.body.submission),
    rejected: (_, errors) => states.push(`rejected ${errors.map(e => e.question)}`),
    wait: () => new Promise(ok => naps.push(ok)),
  });
  return { outbox, sent, states, stored, naps, told, db };
}
const rest = () => new Promise(ok => setTimeout(ok, 5));

test('sends, says so, and forgets', async () => {
  const { outbox, sent, states, told, db } = box([]);
  await outbox.draft(1, 0, { score: { value: 3, base: null } });
  await outbox.seal('/a', 1, 0, { score: 3 }, { score: null }, spent);
  await rest();
  assert.deepEqual(
    sent.map(s => [s.submission, s.answers, s.base, s.elapsed]),
    [['u1', { score: 3 }, { score: null }, 2]],
  );
  assert.equal(states.at(-1), 'saved 0');
  assert.deepEqual(told, [[{ score: 101 }, 1]], 'before it waits no more');
  assert.deepEqual([await db.all('outbox', ''), await db.all('drafts', '')], [[], []]);
});

test('tries again with the same id until the server has it', async () => {
  const { outbox, sent, states, naps, stored } = box(['down', 503, 200]);
  await outbox.seal('/a', 1, 0, { score: 3 }, { score: null }, spent);
  await rest();
  assert.equal(states.at(-1), 'offline 1');
  assert.ok(!outbox.reached);
  naps.shift()();
  await rest();
  assert.ok(outbox.reached, 'an error of the server is no lack of a network');
  outbox.kick();
  await rest();
  assert.deepEqual(
    sent.map(s => s.submission),
    ['u1', 'u1', 'u1'],
  );
  assert.deepEqual(stored, ['u1']);
});

test('a message never changes once it is closed; what follows builds on it', async () => {
  const { outbox, sent, states, naps } = box(['down']);
  await outbox.seal('/a', 1, 0, { score: 1 }, { score: null }, spent);
  await rest();
  await outbox.seal('/a', 1, 0, { score: 3, other: 'x' }, { score: null, other: 7 }, spent);
  await outbox.seal('/a', 1, 1, { score: 9 }, { score: null }, spent);
  assert.equal(outbox.waiting, 2, 'rows are counted, not messages');
  naps.shift()();
  await rest();
  assert.deepEqual(
    sent.map(s => [s.submission, s.item, s.answers]),
    [
      ['u1', 0, { score: 1 }],
      ['u1', 0, { score: 1 }],
      ['u2', 0, { score: 3, other: 'x' }],
      ['u3', 1, { score: 9 }],
    ],
  );
  assert.deepEqual(sent[2].base, { score: 101, other: 7 }, 'the answer before it is replaced');
  assert.equal(states.at(-1), 'saved 0');
});

test('a reply that does not name the answer is no acknowledgement and stops nothing', async () => {
  const foreign = [
    { status: 200, body: null },
    { status: 200, body: {} },
    { status: 200, body: 'Please sign in to the hotel network' },
    { status: 200, body: { saved: { score: 5 } } },
    { status: 200, body: { saved: { score: 5 }, digests: { score: digest(2) } } },
    { status: 204, body: null },
    { status: 401, body: null },
    { status: 422, body: null },
    { status: 422, body: { errors: [{ question: 'other' }] } },
    { status: 409, body: null },
  ];
  for (const reply of foreign) {
    const { outbox, sent, states, stored, naps, db } = box([reply]);
    await outbox.seal('/a', 1, 0, { score: 1 }, { score: null }, spent);
    await rest();
    assert.equal(states.at(-1), 'offline 1', JSON.stringify(reply));
    assert.deepEqual(stored, []);
    assert.equal((await db.all('outbox', 'w/')).length, 1);
    naps.shift()();
    await rest();
    assert.deepEqual(
      sent.map(s => s.submission),
      ['u1', 'u1'],
    );
    assert.equal(states.at(-1), 'saved 0');
    assert.deepEqual(await db.all('outbox', 'w/'), []);
  }
});

test('what a reply leaves out goes again under a name of its own', async () => {
  const some = { saved: { score: 5 }, digests: { score: digest(1) } };
  const { outbox, sent, naps, db } = box([{ status: 200, body: some }]);
  await outbox.seal('/a', 1, 0, { score: 1, note: 'x' }, { score: null, note: null }, spent);
  await rest();
  assert.deepEqual(
    (await db.all('outbox', '')).map(([, kept]) => kept.body.answers),
    [{ note: 'x' }],
  );
  naps.shift()();
  await rest();
  assert.deepEqual(
    sent.map(s => [s.submission, s.answers]),
    [
      ['u1', { score: 1, note: 'x' }],
      ['u1+', { note: 'x' }],
    ],
  );
});

test('a copy stays until the task is finished', async () => {
  const { outbox, db } = box([]);
  await outbox.seal('/a', 1, 4, { score: 1 }, { score: null }, spent);
  await outbox.seal('/b', 2, 0, { score: 2 }, { score: null }, spent);
  await rest();
  assert.deepEqual((await outbox.load(1)).copies, [
    { item: 4, question: 'score', value: 1, id: 101 },
  ]);
  await outbox.forget(1);
  assert.deepEqual((await outbox.load(1)).copies, []);
  assert.equal((await db.all('copies', 'w/2/')).length, 1);
});

test('nothing about a row overtakes an older message about it', async () => {
  const { outbox, sent } = box([409, 200, 200]);
  await outbox.seal('/a', 1, 0, { score: 1 }, {}, spent);
  await outbox.seal('/a', 1, 0, { score: 2 }, {}, spent);
  await outbox.seal('/a', 1, 1, { score: 3 }, {}, spent);
  await rest();
  assert.deepEqual(
    sent.map(s => s.answers.score),
    [1, 3],
  );
});

test('messages stay in order when the clock is set back', async () => {
  const first = box(['down']);
  let now = 2e12;
  first.outbox.parts.now = () => new Date(now);
  await first.outbox.seal('/a', 1, 0, { score: 1 }, {}, spent);
  now -= 36e5;
  await first.outbox.seal('/a', 1, 0, { score: 2 }, {}, spent);
  const second = box([], first.db);
  second.outbox.parts.now = () => new Date(now);
  await second.outbox.load(1);
  now -= 36e5;
  await second.outbox.seal('/a', 1, 0, { score: 3 }, {}, spent);
  await rest();
  assert.deepEqual(
    (await second.db.all('outbox', 'w/')).map(([, kept]) => kept.body.answers.score),
    [],
  );
  assert.deepEqual(
    second.sent.map(s => s.answers.score),
    [1, 2, 3],
  );
});

test('comes back after a crash and sends once more with the same id', async () => {
  const first = box(['down']);
  await first.outbox.seal('/a', 1, 4, { score: 1 }, {}, spent);
  await first.outbox.draft(1, 5, { labels: { value: ['a'], base: 8 } });
  await first.outbox.draft(2, 0, { labels: { value: ['b'], base: null } });
  await rest();
  const second = box([], first.db),
    { waiting, drafts } = await second.outbox.load(1);
  assert.deepEqual(
    waiting.map(s => [s.item, s.body.answers]),
    [[4, { score: 1 }]],
  );
  assert.deepEqual(drafts, [{ item: 5, question: 'labels', value: ['a'], base: 8 }]);
  second.outbox.kick();
  await rest();
  assert.deepEqual(
    second.sent.map(s => s.submission),
    ['u1'],
  );
  const stranger = new Outbox({
    db: first.db,
    who: 'someone',
    send: async () => assert.fail('not theirs'),
  });
  assert.deepEqual(await stranger.load(1), { waiting: [], drafts: [], copies: [] });
});

test('a lost session or a closed campaign stops it and loses nothing', async () => {
  for (const [status, state] of [
    [401, 'signin 1'],
    [409, 'refused 1'],
    [403, 'refused 1'],
  ]) {
    const { outbox, sent, states, db } = box([status, 200]);
    await outbox.seal('/a', 1, 0, { score: 1 }, {}, spent);
    await rest();
    assert.equal(states.at(-1), state);
    assert.equal((await db.all('outbox', 'w/')).length, 1);
    outbox.kick();
    await rest();
    assert.equal(sent.length, 2);
    assert.equal(states.at(-1), 'saved 0');
  }
});

test('what a finished task refuses does not hold up the others', async () => {
  const { outbox, sent, states } = box([409, 200]);
  await outbox.seal('/a', 1, 0, { score: 1 }, {}, spent);
  await outbox.seal('/b', 2, 0, { score: 2 }, {}, spent);
  await rest();
  assert.deepEqual(
    sent.map(s => s.answers.score),
    [1, 2],
  );
  assert.equal(states.at(-1), 'refused 1');
  await outbox.seal('/b', 2, 1, { score: 3 }, {}, spent);
  await rest();
  assert.deepEqual(
    sent.map(s => s.answers.score),
    [1, 2, 3],
    'and is not tried again until asked',
  );
});

test('a refused answer goes back to the judge, the others go on under a new id', async () => {
  const { outbox, sent, states, db } = box([
    { status: 422, body: { errors: [{ question: 'bad', message: 'no' }] } },
    200,
  ]);
  await outbox.seal('/a', 1, 0, { bad: 1, good: 2 }, { bad: null, good: null }, spent);
  await rest();
  assert.ok(states.includes('rejected bad'));
  assert.deepEqual(
    (await db.all('drafts', '')).map(([, draft]) => [draft.question, draft.value]),
    [['bad', 1]],
    'and stays on the device',
  );
  assert.deepEqual(
    sent.map(s => [s.submission, s.answers]),
    [
      ['u1', { bad: 1, good: 2 }],
      ['u1+', { good: 2 }],
    ],
  );
});

test('an id of other answers: what is not among them goes under a name of its own', async () => {
  const stored = { score: { id: 7, value: 1 } };
  const refusal = { reason: 'reused', message: 'used', digests: { score: digest(1) }, stored };
  const { outbox, sent, states, naps, db } = box([{ status: 409, body: refusal }, 'down', 200]);
  await outbox.seal('/a', 1, 0, { score: 1, other: 'x' }, { score: null, other: null }, spent);
  await rest();
  assert.deepEqual(
    (await db.all('outbox', '')).map(([, kept]) => [kept.body.submission, kept.body.answers]),
    [['u1+', { other: 'x' }]],
    'and is kept here until it has arrived',
  );
  naps.shift()();
  await rest();
  outbox.kick();
  await rest();
  assert.deepEqual(
    sent.map(s => [s.submission, s.answers]),
    [
      ['u1', { score: 1, other: 'x' }],
      ['u1+', { other: 'x' }],
      ['u1+', { other: 'x' }],
    ],
  );
  assert.equal(states.at(-1), 'saved 0');
});

test('what the server cannot read is kept and does not hold up the others', async () => {
  for (const status of [400, 413]) {
    const { outbox, sent, states, db } = box([status, 200]);
    await outbox.seal('/a', 1, 0, { score: 1 }, {}, spent);
    await outbox.seal('/a', 1, 1, { score: 2 }, {}, spent);
    await rest();
    assert.deepEqual(
      sent.map(s => s.item),
      [0, 1],
    );
    assert.equal(states.at(-1), 'refused 1');
    assert.equal((await db.all('outbox', 'w/')).length, 1);
  }
});

test('a device that is full, or hangs, is said, and nothing waits for it any more', async () => {
  let said = 0,
    put = async () => {
      throw new DOMException('full', 'QuotaExceededError');
    };
  const db = { ...memory(), lasting: true, put: () => put() };
  const { outbox, sent } = box([], db);
  outbox.parts.unkept = () => (said += 1);
  await outbox.seal('/a', 1, 0, { score: 1 }, {}, spent);
  await rest();
  assert.ok(said > 0);
  put = () => new Promise(() => {});
  await outbox.seal('/a', 1, 0, { score: 2 }, {}, spent);
  await rest();
  assert.deepEqual(
    sent.map(s => s.answers.score),
    [1, 2],
  );
});

test('an answer given while the one before is being written down stays on the device', async () => {
  let written = () => {};
  const slow = new Promise(ok => {
      written = () => ok(0);
    }),
    kept = memory();
  const put = async (store, ...entries) => {
    await kept.put(store, ...entries);
    if (store === 'outbox') await slow;
  };
  const { outbox, db } = box(['down'], { ...kept, put });
  const sealing = outbox.seal('/a', 1, 0, { score: 1 }, { score: null }, spent);
  await outbox.draft(1, 0, { score: { value: 2, base: null } });
  written();
  await sealing;
  await rest();
  assert.deepEqual(
    (await db.all('drafts', '')).map(([, draft]) => draft.value),
    [2],
  );
});

test('a page that is left sends its last answer, once the server has all older ones', async () => {
  const { outbox, sent } = box([]);
  void outbox.seal('/a', 1, 0, { score: 1 }, {}, spent);
  outbox.part();
  assert.deepEqual(
    sent.map(s => s.submission),
    ['u1'],
    'before anything else could happen',
  );
  const two = box(['down']);
  await two.outbox.seal('/a', 1, 0, { score: 1 }, {}, spent);
  await rest();
  void two.outbox.seal('/a', 1, 0, { score: 2 }, {}, spent);
  two.outbox.part();
  assert.equal(two.sent.length, 1, 'not past an answer that waits');
});

test('what came too late is told from other refusals and goes when it is left out', async () => {
  const refused = reason => ({ status: 409, body: { message: 'no', reason } });
  const { outbox, states, db } = box([refused('closed'), refused('finished'), refused('paused')]);
  for (const task of [1, 2, 3]) await outbox.seal('/a', task, 0, { score: 1 }, {}, spent);
  await outbox.seal('/a', 1, 0, { score: 2 }, {}, spent); // waits behind the first
  await rest();
  const tasks = reason => outbox.late(reason).map(({ task }) => task);
  assert.deepEqual([tasks('closed'), tasks('finished')], [[1, 1], [2]]);
  await outbox.leaveOut(outbox.late('closed'));
  assert.deepEqual([tasks('closed'), tasks('finished')], [[], [2]]);
  assert.deepEqual(
    (await db.all('outbox', '')).map(([, { task }]) => task),
    [2, 3],
  );
  assert.equal(outbox.waiting, 2);
  assert.equal(states.at(-1), 'refused 3');
});

test('says how far the clock was off when it was answered, as long as that is known', async () => {
  const server = Date.parse('2026-11-15T12:00:00Z');
  let wall = server + 90_000,
    tick = 500;
  const sent = [];
  const send = async (_url, body) => {
    sent.push(body);
    wall += 400; // there and back
    tick += 400;
    const digests = Object.fromEntries(
      Object.keys(body.answers).map(q => [q, digest(body.answers[q])]),
    );
    return {
      status: 200,
      body: { saved: {}, digests, received_at: new Date(server + tick - 700).toISOString() },
    };
  };
  const db = memory();
  const outbox = new Outbox({ db, who: 'w', send, now: () => new Date(wall), tick: () => tick });
  const answer = async n => {
    await outbox.seal('/a', 1, n, { score: n }, { score: null }, spent);
    await rest();
    return sent.at(-1).ahead;
  };
  assert.equal(await answer(0), undefined, 'nothing is known yet');
  wall += 60_000;
  tick += 60_000;
  assert.equal(await answer(1), 90_000);
  wall -= 3_600_000;
  assert.equal(await answer(2), undefined, 'the clock was set since');
  assert.equal(await answer(3), 90_000 - 3_600_000, 'by that reply');
  wall += 8 * 3_600_000;
  assert.equal(await answer(4), undefined, 'asleep: what runs on did not');
});

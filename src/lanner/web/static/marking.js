// Marking words: a selection by mouse or by arrows, a menu at it that can be gone back in, marks that may overlap and link.
import { made } from './rows.js';
import { say } from './rail.js';
import { cut, points, slice, units, words } from './text.js';

/** @typedef {{side: string, start: number, end: number, text: string, output?: number, category?: string, severity?: string, missing?: boolean, link?: any}} Span */

const side = cell => cell.dataset.side;

export class Marking {
  /** @param {any} app */
  constructor(app) {
    this.app = app;
    /** @type {any[]} */
    this.bars = [...document.querySelectorAll('.toolbar')];
    this.exists = this.bars.length > 0;
    this.links = this.bars.some(b => 'link' in b.dataset);
    /** the stretch the menu is about; `id` where it is a mark already @type {any} */
    this.sel = null;
    /** @type {any} */
    this.linking = null;
    this.cursor = null;
    this.texts = new WeakMap();
    this.painted = new WeakMap();
    if (!this.exists && !app.rail.asks.some(x => x.q.kind === 'spans')) return;
    for (const cell of document.querySelectorAll('.row [data-side]')) this.texts.set(cell, cell.textContent);
    document.addEventListener('pointerup', e => this.released(e));
    for (const s of document.querySelectorAll('.scroller')) s.addEventListener('scroll', () => { if (!this.linking) this.hide(); });
    for (const bar of this.bars) bar.addEventListener('click', e => this.pressed(bar, e.target.closest('button')));
    document.querySelector('.doc')?.addEventListener('click', e => { const m = e.target.closest('mark'); if (m && getSelection().isCollapsed && !this.linking) this.pickAt(m); });
    app.rail.form.addEventListener('click', e => this.listed(e));
  }

  get active() { return !!(this.sel || this.linking); }
  asks() { return this.app.rail.asks.filter(x => x.q.kind === 'spans'); }
  /** @param {number} i @param {any} ask @returns {Span[]} */
  spans(i, ask) { return this.app.store.value(i, ask.q) ?? []; }
  cells(row) { return [...row.el.querySelectorAll('[data-side]')].filter(c => side(c) !== 'reference'); }
  bar(cell) { return this.bars.find(b => b.dataset.sides.split(' ').includes(side(cell)) || ('missing' in b.dataset && side(cell) === 'source')); }
  /** Where a row's text begins in what is judged: 0, or its place in the document when that is judged whole. */
  offset(row, cell) {
    if (row.el.dataset.item != null) return 0;
    const rows = this.app.rows.all.filter(r => r.block === row.block), same = r => this.cells(r).find(c => side(c) === side(cell) && c.dataset.output === cell.dataset.output);
    return rows.slice(0, rows.indexOf(row)).reduce((n, r) => n + points(this.texts.get(same(r)) ?? '') + 1, 0);
  }

  /* ---- showing ---- */
  /** @param {number} i */
  paint(i) {
    if (!this.texts || !this.asks().length) return;
    const { rows } = this.app, mine = rows.all.filter(r => r.item === i), ends = this.links ? rows.all.filter(r => r.el.querySelector('mark.linked') || this.ends(r).length) : [];
    for (const row of new Set([...mine, ...ends])) this.paintRow(row);
  }
  /** Marks of other sentences that lead to this row. */
  ends(row) {
    const { segment } = row.el.dataset;
    return this.app.rows.all.flatMap(r => r.item == null ? [] : this.asks().flatMap(x => this.spans(r.item, x))).filter(s => s.link && s.link.segment === segment && s.link.start != null).map(s => ({ ...s.link, linked: true }));
  }
  paintRow(row) {
    const own = row.item == null ? [] : this.asks().flatMap(x => this.spans(row.item, x).map((s, id) => ({ ...s, id, ask: x }))), ends = this.links ? this.ends(row) : [];
    const key = JSON.stringify([own.map(s => ({ ...s, ask: s.ask.q.id })), ends]);
    if (this.painted.get(row) === key) return;
    this.painted.set(row, key);
    for (const cell of this.cells(row)) {
      const text = this.texts.get(cell), from = this.offset(row, cell), here = [...own, ...ends].filter(s => s.side === side(cell) && s.start != null && (s.output ?? 0) === +cell.dataset.output)
        .map(s => ({ ...s, start: s.start - from, end: s.end - from })).filter(s => s.start >= 0 && s.end <= points(text));
      cell.replaceChildren(...cut(text, here).map(({ text: piece, marks }) => {
        if (!marks.length) return piece;
        const m = made('mark', [...new Set(marks.map(s => s.linked ? 'linked' : 's' + this.level(s)))].join(' ') + (marks.some(s => s.missing) ? ' gone' : '') + (marks.some(s => s.link) ? ' links' : ''), piece);
        m.dataset.ids = marks.filter(s => s.ask).map(s => `${s.ask.q.id}/${s.id}`).join(' ');
        return m;
      }));
    }
  }
  button(ask, field, value) { return this.bars.find(b => b.dataset.for === ask.q.id)?.querySelector(`[data-field=${field}] [value="${CSS.escape(value ?? '')}"]`); }
  level(s) { return (s.severity && this.button(s.ask, 'severity', s.severity)?.dataset.level) || 0; }
  /** What a mark is called. */
  named(ask, s) {
    const word = f => s[f] && (this.button(ask, f, s[f])?.dataset.name ?? s[f]), gone = s.missing && this.bars.find(b => b.dataset.for === ask.q.id)?.querySelector('[data-missing-word]')?.textContent;
    return [gone, word('category'), word('severity')].filter(Boolean).join(', ');
  }
  /** The list beside the questions. @param {any} el @param {Span[]} spans */
  list(el, spans) {
    const ask = this.app.rail.of(el), { words: w, frozen } = this.app;
    el.spans = spans;
    el.querySelector('.spans').replaceChildren(...spans.map((s, id) => {
      const li = made('li', ''), change = made(frozen ? 'span' : 'button', 'btn'), text = made('bdi', '', s.text || say(w, 'nowhere')), row = s.link && this.app.rows.all.find(r => r.el.dataset.segment === s.link.segment);
      change.append(made('span', 'sw s' + this.level({ ...s, ask }) + (s.missing ? ' gone' : '')), made('span', '', this.named(ask, s)));
      change.dataset.span = String(id);
      li.append(change, text);
      if (row) li.append(made('small', '', say(w, 'linked', { n: row.num.querySelector('b').textContent })));
      if (!frozen) { const x = made('button', 'btn icon', '×'); x.dataset.remove = String(id); x.setAttribute('aria-label', `${this.bars[0]?.querySelector('[data-act=remove]')?.firstChild.data.trim()} ${this.named(ask, s)}: ${s.text ?? ''}`); li.append(x); }
      for (const b of li.querySelectorAll('button')) b.type = 'button';
      return li;
    }), ...(spans.length ? [] : [made('li', 'none', el.querySelector('.spans').dataset.none)]));
  }
  listed(e) {
    const b = e.target.closest('[data-span], [data-remove], [data-act=missing]'), ask = b && this.app.rail.of(b);
    if (!ask) return;
    if (b.dataset.span) this.pick(ask, +b.dataset.span);
    else if (b.dataset.remove) this.put(ask, this.spans(this.app.item, ask).filter((_, n) => n !== +b.dataset.remove), 'removed');
    else this.open({ ask, span: { side: 'source', missing: true, text: '' } }, b.getBoundingClientRect());
  }

  /* ---- the menu ---- */
  /** @param {any} sel @param {DOMRect} box */
  open(sel, box) {
    this.hide();
    const bar = this.bars.find(b => b.dataset.for === sel.ask.q.id);
    if (!bar || this.app.frozen) return;
    this.sel = { ...sel, bar, path: [] };
    bar.hidden = false;
    this.stage();
    const doc = document.querySelector('.doc').getBoundingClientRect(), below = matchMedia('(pointer: coarse)').matches || box.top < bar.offsetHeight + 60;
    bar.style.left = Math.max(8, Math.min(box.left + box.width / 2 - bar.offsetWidth / 2, Math.max(doc.right, box.right) - bar.offsetWidth - 8)) + 'px';
    bar.style.top = Math.min(innerHeight - bar.offsetHeight - 8, below ? box.bottom + 8 : box.top - bar.offsetHeight - 8) + 'px';
  }
  /** Show the panel of the step one is at: missing or not, kind, kind within it, severity. */
  stage() {
    const { bar, path, span, id } = this.sel, panels = [...bar.querySelectorAll('.panel')], last = path.at(-1);
    const wanted = panels.filter(p => !(p.dataset.field === 'missing' && (span.side !== 'source' || span.text === '')));
    const order = last ? wanted.filter(p => p.dataset.parent ? p.dataset.parent === last[1] && last[0] === 'category' && path.filter(([f]) => f === 'category').length < 2 : !path.some(([f]) => f === p.dataset.field)) : wanted.filter(p => !p.dataset.parent);
    const now = order.find(p => p.dataset.parent) ?? order[0];
    if (!now) return this.commit();
    for (const p of panels) p.hidden = p !== now;
    for (const b of now.querySelectorAll('button')) b.setAttribute('aria-pressed', String(id != null && span[now.dataset.field] === b.value));
    bar.querySelector('.crumbs').hidden = !path.length;
    bar.querySelector('.crumb').textContent = path.map(([f, v]) => this.button(this.sel.ask, f, v)?.dataset.name ?? '').filter(Boolean).join(' › ');
    bar.querySelector('[data-act=remove]').hidden = id == null;
    if (bar.querySelector('[data-act=link]')) bar.querySelector('[data-act=link]').hidden = id == null;
    return undefined;
  }
  pressed(bar, b) {
    if (!b) return;
    const panel = b.closest('.panel'), { act } = b.dataset;
    if (panel) { this.sel.path.push([panel.dataset.field, b.value]); this.stage(); } else if (act === 'step-back') this.back(); else if (act === 'remove') this.remove(); else if (act === 'link') { const { ask, id } = this.sel; this.hide(); this.linking = { ask, id, item: this.app.item }; this.cursor = null; this.app.say(say(this.app.words, 'linking')); this.app.note('link', say(this.app.words, 'linking'), [['×', () => this.close()]]); }
  }
  back() { this.sel.path.pop(); this.stage(); }
  /** A key for the menu: a digit of the panel that is shown. @param {string} k */
  menu(k) {
    const b = this.sel && [...this.sel.bar.querySelectorAll('.panel:not([hidden]) button')].find(x => x.dataset.k === k), link = this.sel?.bar.querySelector('[data-act=link]:not([hidden])');
    return b ? () => b.click() : k === 'l' && link ? () => link.click() : undefined;
  }
  delete() { if (this.sel?.path.length) this.back(); else if (this.sel?.id != null) this.remove(); else this.close(); }
  commit() {
    const { ask, span, id, path } = this.sel, { item } = this.app, now = [...this.spans(item, ask)], fields = Object.fromEntries(path), made = { ...span };
    for (const f of ['category', 'severity']) if (fields[f]) made[f] = fields[f];
    if (fields.missing) made.missing = true;
    if (id != null) now[id] = made; else now.push(made);
    this.put(ask, now, 'marked', span.text);
  }
  remove() { const { ask, id } = this.sel; this.put(ask, this.spans(this.app.item, ask).filter((_, n) => n !== id), 'removed'); }
  put(ask, spans, word, text = '') {
    this.close();
    this.app.answer(ask.q.id, spans);
    this.app.rail.rest();
    this.app.say(say(this.app.words, word, { text }));
  }
  hide() { for (const b of this.bars) b.hidden = true; for (const m of document.querySelectorAll('mark.on')) m.classList.remove('on'); this.sel = null; }
  close() { if (!this.exists) return; this.hide(); if (this.linking) this.app.note('link', '', []); this.linking = this.cursor = null; getSelection().removeAllRanges(); }

  /* ---- selecting ---- */
  released(e) {
    if (e.target.closest?.('.row')) setTimeout(() => this.selected());
    else if (!e.target.closest?.('.toolbar, .spans, [data-act=missing], .note')) this.hide();
  }
  /** The browser's selection as a stretch of one text. */
  selected() {
    const chosen = getSelection();
    if (!chosen.rangeCount || chosen.isCollapsed) return;
    const range = chosen.getRangeAt(0), cell = range.startContainer.parentElement?.closest('[data-side]');
    if (!cell || !this.texts.has(cell)) return;
    const before = document.createRange(), last = cell.contains(range.endContainer) ? range.toString() : '';
    before.setStart(cell, 0);
    before.setEnd(range.startContainer, range.startOffset);
    const text = this.texts.get(cell), lead = points(before.toString()), picked = last || slice(text, lead, Infinity), skip = points(picked) - points(picked.trimStart()), start = lead + skip, end = start + points(picked.trim());
    if (end > start) this.stretch(cell, start, end, range.getBoundingClientRect());
  }
  stretch(cell, start, end, box) {
    const { app } = this, row = app.rows.all[+cell.closest('.row').dataset.row], text = slice(this.texts.get(cell), start, end), from = this.offset(row, cell);
    if (this.linking) { this.linking.end = { segment: row.el.dataset.segment, side: side(cell), start, end, text }; return; }
    const bar = this.bar(cell), ask = bar && this.asks().find(x => x.q.id === bar.dataset.for && !x.el.hidden);
    if (!ask || row.item == null) return;
    if (row.item !== app.item) app.go(+row.el.dataset.row, false);
    const span = { side: side(cell), start: start + from, end: end + from, text, ...(this.cells(row).filter(c => side(c) === 'target').length > 1 && side(cell) === 'target' && { output: +cell.dataset.output }) };
    if (!bar.dataset.sides.split(' ').includes(span.side)) span.missing = true;
    const same = this.spans(app.item, ask).findIndex(s => s.side === span.side && s.start === span.start && s.end === span.end && (s.output ?? 0) === (span.output ?? 0));
    this.open(same >= 0 ? { ask, id: same, span: this.spans(app.item, ask)[same] } : { ask, span }, box);
  }
  /** @param {any} m a mark; where several lie over each other, each click takes the next */
  pickAt(m) {
    const ids = m.dataset.ids.split(' ').filter(Boolean).map(s => s.split('/')), at = +m.closest('.row').dataset.row;
    if (!ids.length) return;
    if (at !== this.app.row) this.app.go(at, false);
    const now = ids.findIndex(([q, id]) => this.sel?.ask.q.id === q && this.sel.id === +id), [q, id] = ids.at(now < 0 ? -1 : now - 1);
    this.pick(this.asks().find(x => x.q.id === q), +id, m);
  }
  pick(ask, id, m = null) {
    const marks = [...this.app.rows.all.filter(r => r.item === this.app.item)].flatMap(r => [...r.el.querySelectorAll('mark')]).filter(x => x.dataset.ids.split(' ').includes(`${ask.q.id}/${id}`));
    getSelection().removeAllRanges();
    this.open({ ask, id, span: this.spans(this.app.item, ask)[id] }, (m ?? marks[0] ?? ask.el).getBoundingClientRect());
    for (const x of marks) x.classList.add('on');
  }

  /* ---- by keys ---- */
  /** Arrows walk word by word, with Shift the selection grows. @param {number} step @param {boolean} grow */
  walk(step, grow) {
    const row = this.cursor?.row ?? this.app.rows.all[this.app.row], cells = this.cells(row).filter(c => this.linking || this.bar(c)), cell = this.cursor?.cell ?? cells.at(-1);
    if (!cell) return;
    const text = this.texts.get(cell), all = words(text, cell.lang), by = getComputedStyle(cell).direction === 'rtl' ? -step : step, old = this.cursor?.to;
    const to = old == null ? 0 : Math.max(0, Math.min(all.length - 1, old + by)), from = grow && this.cursor ? this.cursor.from : to;
    if (!all.length) return;
    const start = all[Math.min(from, to)].start, end = all[Math.max(from, to)].end, range = document.createRange();
    for (const [set, point] of [['setStart', start], ['setEnd', end]]) {
      const walker = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
      let left = units(text, point), n = walker.nextNode();
      while (n && left > n.length) { left -= n.length; n = walker.nextNode(); }
      if (n) range[set](n, left);
    }
    getSelection().removeAllRanges();
    getSelection().addRange(range);
    this.stretch(cell, start, end, range.getBoundingClientRect());
    this.cursor = { row, cell, from, to };
    row.el.scrollIntoView({ block: 'nearest' });
  }
  /** The next text of the row. */
  other() {
    if (!this.exists) return;
    const row = this.cursor?.row ?? this.app.rows.all[this.app.row], cells = this.cells(row).filter(c => this.linking || this.bar(c)), at = cells.indexOf(this.cursor?.cell ?? cells.at(-1));
    this.cursor = { row, cell: cells[(at + 1) % cells.length] };
    this.walk(0, false);
  }
  /** Another row, while looking for the other end of a link. @param {number} by */
  row(by) {
    const { all } = this.app.rows, at = all.indexOf(this.cursor?.row ?? all[this.app.row]) + by, row = all[at];
    if (!row || row.block !== all[this.app.row].block) return;
    if (row.el.hidden) this.app.rows.whole();
    this.cursor = { row, cell: this.cells(row).find(c => side(c) === (this.cursor ? side(this.cursor.cell) : 'target')) ?? this.cells(row)[0] };
    this.walk(0, false);
  }
  link() {
    const { ask, id, item, end } = this.linking, spans = this.spans(item, ask).map((s, n) => n === id ? { ...s, link: end } : s);
    if (end) this.put(ask, spans, 'link_made');
  }
}

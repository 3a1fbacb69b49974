// The questions: shows the answers of the current item, takes new ones, and knows which question is
// armed.

import { canon } from './digest.js';
import { $, $$, bringIntoView, moveClass, setHidden, setText, targetOf } from './dom.js';
import { focusedElement, focusSoon, followsFrame } from './focus.js';
import { isHopeless, limitsOf, readNumber } from './numbers.js';
import { whenStill } from './pointer.js';

/** So far a finger may stray from a slider, in pixels, and still mean it. */
const SWIPE = 12;

/** @type {Record<string, Kind>} by name; only those of this page's questions are loaded */
const KINDS = {};
await Promise.all(
  [...new Set($$('.q').map(el => el.dataset.kind))].map(async name => {
    KINDS[name] = await import(`./widgets/${name}.js`);
  }),
);

/** The question that an element's markup states. @param {any} el @returns {Ask} */
function askOf(el) {
  const { q: id, kind, need, most, required, each = '', when, exclusive, preset } = el.dataset;
  return {
    el,
    name: el.dataset.short,
    key: '',
    kind: KINDS[kind],
    q: {
      id,
      kind,
      need: +need,
      most: +most || Infinity,
      required: required != null,
      each,
      exclusive,
      when: when ? JSON.parse(when) : [],
      preset: preset ? JSON.parse(preset) : null,
    },
  };
}

export class Rail {
  /** @param {HTMLFormElement} form @param {App} app */
  constructor(form, app) {
    this.form = form;
    this.app = app;
    /** @type {any} the question, or line of one, that digits answer */
    this.armed = null;
    /** @type {Set<number>} items that were to be accepted while something was missing */
    this.tried = new Set();
    /** @type {any} the field in which a number is being typed that is no answer yet */
    this.typing = null;
    /**
     * @type {Map<string, string>} numbers that were refused, as they were typed, by item and field
     */
    this.refused = new Map();
    /** @type {Grasp | null} the slider that is held, or was held last */
    this.held = null;
    this.asks = $$('.q', form).map(askOf);
    this.auto = 'autoarm' in form.dataset;
    /** What a letter or a digit arms. */
    this.picks = $$('.q[data-letter], .q [data-pick]', form);
    form.addEventListener('change', e => this.changed(e.target));
    form.addEventListener('input', e => this.moved(e.target));
    form.addEventListener('click', e => {
      if (targetOf(e).type === 'radio') this.chosenAgain(targetOf(e));
      else this.clicked(targetOf(e).closest('button'));
    });
    form.addEventListener('pointerdown', e => this.grasp(e));
    for (const step of ['pointermove', 'pointercancel'])
      form.addEventListener(step, e => this.slide(/** @type {PointerEvent} */ (e)), {
        passive: true,
      });
    form.addEventListener('focusout', e => {
      if (e.target === this.typing && document.hasFocus()) this.commit();
    });
    // a keyboard on the screen leaves less room: the field stays in sight
    addEventListener('resize', () => {
      const field = focusedElement();
      if (form.contains(field) && field.matches('textarea, [inputmode]')) bringIntoView(field);
    });
    form.addEventListener('focusin', e => {
      const at = targetOf(e).closest('[data-line]') ?? targetOf(e).closest('.q');
      if (at && !at.contains(this.armed) && !followsFrame()) this.arm(at, false);
      if (targetOf(e).matches('[inputmode], textarea')) this.closeMenu();
    });
  }
  /** Digits are for a field now: a menu of marks that offers some of them would say otherwise. */
  closeMenu() {
    const { marking } = this.app;
    if (marking.menu.choice) marking.close();
  }
  /** The question that an element belongs to. @param {any} el */
  of(el) {
    return this.asks.find(x => x.el === el.closest('.q'));
  }
  /** The part of a question that a control belongs to: its line where each has an answer. */
  part(/** @type {Ask} */ x, /** @type {any} */ control) {
    return (x.q.each && control.closest('[data-line]')) || x.el;
  }
  /** @param {Ask} x @returns {any[]} */
  lines(x) {
    return $$('[data-line]', x.el).filter(line => !line.hidden);
  }
  /** The answer that a question shows. @param {Ask} x */
  read(x) {
    if (!x.q.each) return x.kind.read(x.el);
    const lines = this.lines(x).map(line => [line.dataset.line, x.kind.read(line)]);
    return Object.fromEntries(lines.filter(([, value]) => value != null));
  }
  /** @param {Ask} x @param {boolean} [typed] @param {boolean} [shown] */
  take(x, typed = false, shown = true) {
    x.key = ''; // the page shows something else than what was last written to it
    this.app.answer(x.q.id, this.read(x), typed, shown);
  }

  /**
   * Show the answers of an item; those that are shown already only where the row is another
   * (`anew`).
   * @param {number} i
   * @param {boolean} anew
   */
  show(i, anew) {
    const { store } = this.app;
    for (const x of this.asks) {
      const { el, q, kind } = x,
        v = store.value(i, q),
        chosen = q.each ? store.chosen(i, q) : [],
        key = canon([v, chosen]),
        hidden = !store.applies(i, q);
      setHidden(el, hidden);
      if (hidden) continue;
      if (anew || (x.key !== key && !el.contains(this.typing))) {
        if (!q.each) kind.write(el, v, this.app);
        else
          for (const line of $$('[data-line]', el)) {
            setHidden(line, !chosen.includes(line.dataset.line));
            kind.write(line, v?.[line.dataset.line] ?? null, this.app);
          }
      }
      x.key = key;
      this.hint(el, q, i);
      this.showRefused(x, i);
    }
  }
  /** The fields of a question that take a typed number. @param {Ask} x @returns {any[]} */
  fields(x) {
    return $$('[inputmode]', x.el).filter(field => !field.closest('[data-line][hidden]'));
  }
  /**
   * A refused number stays as it was typed, and what is wrong with it is said, until it is mended.
   * @param {Ask} x
   * @param {number} i
   */
  showRefused(x, i) {
    for (const field of this.fields(x)) {
      const text = this.refused.get(`${i}/${field.name}`);
      field.toggleAttribute('aria-invalid', text != null);
      if (text == null) continue;
      field.setAttribute('aria-invalid', 'true');
      if (field !== this.typing) field.value = text;
      this.hint(x.el, x.q, i, this.problem(field));
      x.el.classList.add('tried');
    }
  }
  /** What is wrong with a typed number, in words. @param {any} field */
  problem(field) {
    const limits = limitsOf(field),
      { problem } = readNumber(field.value, limits);
    const { min: low, max: high, step } = limits;
    return problem ? this.app.t(problem, { text: field.value.trim(), low, high, step }) : '';
  }
  /**
   * Whether a number of an item was refused and not mended since.
   * @param {number} i
   * @param {Ask} [x] only this question
   */
  refuses(i, x) {
    const names = x && this.fields(x).map(field => `${i}/${field.name}`);
    return [...this.refused.keys()].some(key =>
      names ? names.includes(key) : key.startsWith(`${i}/`),
    );
  }
  /**
   * Take the number that is being typed, before anything else happens.
   * @param {boolean} [shown] whether the questions are brought up to date; else whoever calls does
   */
  commit(shown = true) {
    if (this.typing) this.changed(this.typing, shown);
  }
  /**
   * Say beside a question what it still misses.
   * @param {any} el
   * @param {Question} q
   * @param {number} i
   * @param {string} [words] something else to say
   */
  hint(el, q, i, words = '') {
    const { store, t } = this.app,
      lack = store.lacks(i, q),
      hint = $('.hint', el),
      left = store.open(i, q);
    el.classList.toggle('tried', lack && this.tried.has(i));
    // what is said of a number lies over the explanation, in the place of what is missing: the
    // question stays as high as it was
    hint.style.inlineSize = words ? hint.style.inlineSize || `${hint.offsetWidth}px` : '';
    el.classList.toggle('refused', words !== '');
    const text =
      words ||
      (!lack ? '' : q.need > 1 && left < q.need ? t('more', { n: left }) : el.dataset.hint);
    setHidden(hint, !text);
    setText(hint, text || el.dataset.hint);
  }

  /**
   * Arm a question or one line of it: digits answer it from now on.
   * @param {any} el null disarms
   * @param {boolean} [focus]
   */
  arm(el, focus = true) {
    const x = el && this.of(el),
      lines = x && el === x.el && !x.q.preset ? this.lines(x) : [];
    this.armed = lines.find(line => !$(':checked', line)) ?? lines[0] ?? el;
    // the focus first: it makes the browser lay out the page, which is cheap before it is changed
    if (focus && x) this.enter(x);
    moveClass('armed', $$('.armed', this.form), x ? this.armed : null);
    moveClass('current', $$('.current', this.form), x?.el);
  }
  /** The focus goes to what is armed. @param {Ask} x the question of it */
  enter(x) {
    this.app.sheet(true);
    // where digits count labels, no field may swallow them
    if (x.el.dataset.display === 'counts') {
      bringIntoView(this.armed);
      return;
    }
    const controls = [':checked', 'textarea, [inputmode], select', 'input', 'button:not(.info)'];
    const control = controls.map(css => $(css, this.armed)).find(Boolean);
    // a telephone opens its keyboard for a field that gets the focus at once, or not at all
    if (control?.matches('textarea, [inputmode], select')) {
      const enters = control !== focusedElement();
      control.focus();
      // digits replace a number that is there: 9 and then 5 would be 95
      if (enters && control.matches('[inputmode]')) control.select();
    } else if (control) focusSoon(control);
  }
  /** The next or previous question: what up and down mean in a questionnaire. @param {number} by */
  step(by) {
    const shown = this.asks.filter(x => !x.el.hidden),
      at = shown.findIndex(x => x.el.contains(this.armed ?? focusedElement()));
    const next = shown[at < 0 ? (by > 0 ? 0 : shown.length - 1) : at + by];
    if (!next) return;
    this.arm(next.el);
    bringIntoView(next.el);
  }
  /** The first question of the current item that misses something. */
  gap() {
    const { store, item, practice } = this.app;
    const lacks = (/** @type {Question} */ q) =>
      store.lacks(item, q) && (!practice || practice.asks(item, q.id));
    return this.asks.find(x => lacks(x.q) || (!x.el.hidden && this.refuses(item, x)));
  }
  /**
   * What is armed when a row is opened: the first gap, or labels of which none need apply, where
   * digits are not needed for picking lines.
   */
  rest() {
    const gap = this.gap(),
      { store, item } = this.app,
      first = this.asks.find(
        x => x === gap || (x.q.kind === 'labels' && store.unreviewed(item, x.q)),
      );
    this.arm((this.auto && first?.el) || null, false);
  }
  /** On coming to a row, and after an answer: an only score can be given anew by its digits. */
  restOnArrival() {
    const scores = this.asks.filter(x => !['spans', 'text'].includes(x.q.kind));
    this.rest();
    if (this.auto && !this.armed && scores.length === 1 && !scores[0].el.hidden)
      this.arm(scores[0].el, false);
  }
  /**
   * What comes after an answer: the next open line, the next gap, the question that follows.
   * @param {Ask} x
   * @param {any} line
   */
  advance(x, line) {
    const lines = this.lines(x),
      open = lines.slice(lines.indexOf(line) + 1).find(each => !$(':checked', each));
    if (line && (open || x.q.preset)) return this.arm(open ?? null, false);
    if (this.auto) return this.restOnArrival(); // where one is all, another digit corrects it
    const next = this.asks.find(each => each.q.id === x.el.dataset.next && !each.el.hidden);
    return this.arm(next?.el ?? null, false);
  }

  /** A slider is pressed. @param {PointerEvent} e */
  grasp(e) {
    const control = targetOf(e),
      { item } = this.app;
    this.held = null;
    if (control.type !== 'range' || control.disabled) return;
    const held = { control, x: e.clientX, y: e.clientY, touch: e.pointerType === 'touch' };
    this.held = { ...held, swiped: null, heard: false };
    // let go where it stood before there was an answer, it has not changed for the browser
    whenStill(() => this.letGo(control, item));
  }
  /**
   * A finger that moves up or down scrolls, whatever it began on. Its first way decides: one that
   * has slid may stray.
   * @param {PointerEvent} e
   */
  slide(e) {
    const { held } = this;
    if (!held?.touch) return;
    const [across, along] = [Math.abs(e.clientX - held.x), Math.abs(e.clientY - held.y)];
    if (e.type === 'pointercancel') held.swiped = true;
    else if (Math.max(across, along) > SWIPE) held.swiped ??= along > across;
  }
  /** A slider was released. @param {any} control @param {number} item that it was about */
  letGo(control, item) {
    const { app, held } = this,
      x = this.of(control);
    if (!x || item !== app.item || app.frozen) return;
    const part = this.part(x, control),
      answer = app.store.value(item, x.q),
      value = (x.q.each ? answer?.[part.dataset.line] : answer) ?? null;
    if (held?.swiped) x.kind.write(part, value, app);
    else if (!held?.heard && value !== +control.value) {
      x.kind.typed?.(part, control);
      this.changed(control);
    }
  }

  /** A control has a new value. @param {any} control @param {boolean} [shown] */
  changed(control, shown = true) {
    const x = this.of(control),
      { app, held } = this;
    if (!x) return;
    if (control.matches('[inputmode]') && !this.numbered(x, control)) return;
    if (held && control === held.control) {
      if (held.swiped) return;
      held.heard = true; // what is taken back before the release is looked at stays so
    }
    if (control.type === 'range')
      this.refused.delete(`${app.item}/${$('[inputmode]', this.part(x, control)).name}`);
    if (x.kind.allow?.(x.el, control) === false) {
      this.hint(x.el, x.q, app.item, app.t('too_many', { n: x.q.most }));
      return app.say(app.t('too_many', { n: x.q.most }));
    }
    this.take(x, false, shown);
    const full = control.type === 'checkbox' && app.store.value(app.item, x.q)?.length === x.q.most;
    if (full || control.matches('[type=radio], select'))
      this.advance(x, control.closest('[data-line]'));
  }
  /**
   * The answer that is given already is chosen once more: no change for the browser, but what
   * follows is the same. The next digit must not be taken for this line.
   * @param {any} control
   */
  chosenAgain(control) {
    const x = this.of(control),
      { app } = this;
    if (x && !app.frozen && canon(this.read(x)) === canon(app.store.value(app.item, x.q)))
      this.advance(x, control.closest('[data-line]'));
  }
  /**
   * Whether a field holds another number of its scale than before, or nothing; what is neither is
   * refused. A field that is left says once more what was taken already.
   * @param {Ask} x
   * @param {any} field
   */
  numbered(x, field) {
    const { app } = this,
      key = `${app.item}/${field.name}`,
      { problem } = readNumber(field.value, limitsOf(field));
    this.typing = null;
    if (!problem) {
      const { answers } = app.store.items[app.item];
      return this.refused.delete(key) || canon(this.read(x)) !== canon(answers[x.q.id]);
    }
    this.refused.set(key, field.value);
    app.say(this.problem(field));
    app.refresh(app.item);
    if (document.activeElement === field) field.select(); // what is typed next takes its place
    return false;
  }
  /**
   * Something is typed or moved. A text is an answer letter by letter; a number when it is
   * complete.
   * @param {any} control
   */
  moved(control) {
    const x = this.of(control),
      { app } = this;
    if (!x) return;
    if (control.matches('[inputmode]')) {
      this.typing = control;
      const isLost = isHopeless(control.value, limitsOf(control));
      this.hint(x.el, x.q, app.item, isLost ? this.problem(control) : '');
      control.toggleAttribute('aria-invalid', isLost);
      if (x.q.kind !== 'labels' && !x.q.each) app.keep(x.q, x.kind.read(x.el));
    } else if (x.kind.typed?.(this.part(x, control), control) && !x.q.each) this.take(x, true);
  }
  /** @param {any} pressed the button that was clicked, if any */
  clicked(pressed) {
    const x = pressed && this.of(pressed);
    this.commit();
    if (pressed?.dataset.def) this.app.help.define(pressed.dataset.def);
    else if (x?.kind.press?.(this.part(x, pressed), pressed)) {
      for (const field of $$('[inputmode]', this.part(x, pressed)))
        this.refused.delete(`${this.app.item}/${field.name}`);
      this.take(x);
    }
  }

  /** What a digit does to what is armed; nothing where it means nothing. @param {string} key */
  digit(key) {
    const { armed } = this;
    if (!armed) return undefined;
    const option = $(`[data-k="${CSS.escape(key)}"]`, armed);
    if (option)
      return () => {
        if (option.matches('input')) focusSoon(option, { preventScroll: true });
        option.click();
      };
    const field = /\d/.test(key) && $('.slide [inputmode], input.count', armed);
    if (!field) return undefined;
    return () => {
      this.closeMenu();
      field.value = key;
      focusSoon(field);
      field.dispatchEvent(new Event('input', { bubbles: true }));
    };
  }
  /** A letter that arms a question, or a digit that picks a line. @param {string} key */
  letter(key) {
    const el = this.picks.find(
      pick => (pick.dataset.letter ?? pick.dataset.pick) === key && !pick.closest('.q').hidden,
    );
    return el && (() => this.arm(el));
  }

  /** What the margin of a row says about its answers. @param {number} i @returns {Brief[]} */
  brief(i) {
    const { store } = this.app,
      { answers } = store.items[i];
    return this.asks
      .filter(x => store.applies(i, x.q))
      .map(({ el, q, kind }) => {
        const value = answers[q.id];
        if (value == null)
          return { short: q.kind === 'scale' && q.required && store.started(i) ? '?' : '' };
        if (!q.each) return kind.brief(el, value, this.app);
        const line = (/** @type {string} */ name) => $(`[data-line="${name}"]`, el);
        const names = Object.keys(value);
        return {
          short: names.map(name => kind.brief(line(name), value[name], this.app).short).join(' '),
        };
      });
  }
}

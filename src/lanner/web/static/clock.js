// Two times: elapsed since a row was opened, and active time, which pauses while the page is
// hidden, nothing moves, or the computer sleeps.

export class Clock {
  /**
   * @param {number} idle milliseconds without a sign of life after which time is no longer active
   * @param {number} longest milliseconds between two counts: after a longer gap nothing ran at all
   * @param {() => number} now
   */
  constructor(idle, longest, now = () => performance.now()) {
    this.idle = idle;
    this.longest = longest;
    this.now = now;
    this.last = this.touched = now();
    this.visible = true;
    this.elapsed = this.active = 0;
  }

  /** Count up to now. */
  count() {
    const now = this.now(),
      asleep = now - this.last > this.longest;
    if (this.visible && !asleep)
      this.active += Math.max(0, Math.min(now, this.touched + this.idle) - this.last);
    this.elapsed += now - this.last;
    this.last = now;
  }

  /** Somebody is here: time is active again. */
  touch() {
    this.count();
    this.touched = this.last;
  }
  /** @param {boolean} visible */
  show(visible) {
    this.count();
    this.visible = visible;
    if (visible) this.touched = this.last;
  }

  /** Seconds since the last time this was asked. */
  take() {
    this.count();
    const spent = { elapsed: this.elapsed / 1000, active: this.active / 1000 };
    this.elapsed = this.active = 0;
    return spent;
  }
}

// Two times: elapsed since a row was opened, and active time, which pauses while the page is hidden
// or nothing moves.

export class Clock {
  /**
   * @param {number} idle milliseconds without a sign of life after which time is no longer active
   * @param {() => number} now
   */
  constructor(idle, now = () => performance.now()) {
    this.idle = idle;
    this.now = now;
    this.last = this.touched = now();
    this.visible = true;
    this.elapsed = this.active = 0;
  }

  /** Count up to now. */
  count() {
    const now = this.now();
    if (this.visible)
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

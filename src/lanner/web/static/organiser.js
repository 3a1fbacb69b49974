// What every organiser's page shares: moments in the reader's own time zone.

const day = new Intl.DateTimeFormat(undefined, { weekday: "short", day: "numeric", month: "short" });
const clock = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit" });

/** Show every <time data-show> in the reader's zone. @param {ParentNode} within */
export function localise(within = document) {
  for (const element of within.querySelectorAll("time[data-show]")) {
    const moment = new Date(element.getAttribute("datetime") ?? "");
    if (Number.isNaN(moment.getTime())) continue;
    const shown = element.getAttribute("data-show");
    element.textContent =
      shown === "day" ? day.format(moment) : shown === "clock" ? clock.format(moment) : `${day.format(moment)}, ${clock.format(moment)}`;
  }
}

localise();

// How days and hours are written on every page: in its language, English in one of its ways.
const { lang } = document.documentElement;

/** @param {Intl.DateTimeFormatOptions} how */
export const written = how =>
  new Intl.DateTimeFormat(lang === 'en' ? 'en-GB' : lang, { ...how, hourCycle: 'h23' });
/** As “14:02”. */
export const clock = written({ hour: '2-digit', minute: '2-digit' });

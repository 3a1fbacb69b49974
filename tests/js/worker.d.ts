// What the server writes above the service worker.
declare const VERSION: string;

// Runs before the first paint: the reader's colours, text size and contrast, kept on this device.
(() => {
  const root = document.documentElement;
  root.classList.add('js');
  for (const name of ['theme', 'size', 'contrast']) {
    try {
      const value = localStorage.getItem('lanner-' + name);
      if (value) root.dataset[name] = value;
    } catch {
      /* storage is blocked: the system's own settings apply */
    }
  }
})();

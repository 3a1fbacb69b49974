// What can be pasted into a paper has a button that copies it.
for (const button of document.querySelectorAll("button[data-copy]")) {
  button.hidden = !navigator.clipboard;
  button.addEventListener("click", async () => {
    const parts = document.querySelectorAll(button.dataset.copy);
    const texts = [...parts].map((part) => part.textContent.trim());
    await navigator.clipboard.writeText(texts.join("\n\n"));
    button.textContent = button.dataset.done;
  });
}

// Headings become buttons that sort their table. Groups keep their order and are sorted within,
// totals stay last.
for (const table of document.querySelectorAll("table.sortable")) {
  const body = table.tBodies[0];
  const groups = [];
  for (const row of body.rows) {
    const is = (name) => row.classList.contains(name);
    if (is("grp") || is("tot") || !groups.length || groups.at(-1).closed) {
      groups.push({ head: null, rows: [], closed: false });
    }
    const group = groups.at(-1);
    if (is("grp")) group.head = row;
    else group.rows.push(row);
    group.closed = is("tot");
  }
  if (groups.every((group) => group.rows.length < 2)) continue;
  [...table.tHead.rows[table.tHead.rows.length - 1].cells].forEach((head, column) => {
    if (!head.textContent.trim()) return;
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = head.textContent;
    head.replaceChildren(button);
    button.addEventListener("click", () => {
      const down = head.getAttribute("aria-sort") === "ascending";
      for (const other of head.parentElement.cells) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      const key = (row) => {
        const text = row.cells[column].textContent;
        const number = parseFloat(text.replaceAll("−", "-").replace(/[,%\s]|^\[|^</g, ""));
        return Number.isNaN(number) ? text : number;
      };
      const order = (one, other) => {
        const a = key(one), b = key(other);
        const numbers = typeof a === "number" && typeof b === "number";
        const less = numbers ? a - b : String(a).localeCompare(String(b));
        return down ? -less : less;
      };
      for (const { head: first, rows } of groups) {
        body.append(...(first ? [first] : []), ...rows.sort(order));
      }
    });
  });
}

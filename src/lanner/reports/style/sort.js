// Headings become buttons that sort their table; groups keep their order, totals stay last.
for (const table of document.querySelectorAll("table.sortable")) {
  const body = table.tBodies[0];
  const rows = [...body.rows];
  if (rows.length < 3 || rows.some((row) => row.classList.contains("grp"))) continue;
  [...table.tHead.rows[table.tHead.rows.length - 1].cells].forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = head.textContent;
    head.replaceChildren(button);
    button.addEventListener("click", () => {
      const down = head.getAttribute("aria-sort") === "ascending";
      for (const other of head.parentElement.cells) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      const key = (row) => {
        const text = row.cells[column].textContent.replace("−", "-").replace(/[,%\s]|^\[/g, "");
        const number = parseFloat(text);
        return Number.isNaN(number) ? row.cells[column].textContent : number;
      };
      const order = rows.filter((row) => !row.classList.contains("tot")).sort((one, other) => {
        const a = key(one), b = key(other);
        const less = typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b));
        return down ? -less : less;
      });
      body.append(...order, ...rows.filter((row) => row.classList.contains("tot")));
    });
  });
}

"use strict";
// Draws what the data says. Every figure of a packet stands in the data; here they are only
// looked up, laid out and sorted. Texts reach the page as text, never as markup.
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const LEVELS = {
    f: { name: "whole", sign: "■", style: "full", cost: 0 },
    k: { name: "key lines", sign: "◧", style: "key-lines", cost: 1 },
    t: { name: "title", sign: "▭", style: "title", cost: 2 },
    ".": { name: "out", sign: "–", style: "out", cost: 2 },
  };
  const LABEL_HEIGHT = 22; // pixels of a section's name above its entries
  const LEAST = { w: 80, h: 24 }; // pixels below which nothing is written in a tile
  const LEAST_AREA = { w: 44, h: 40 }; // and over the entries of a section
  const LINE = 16.2; // pixels of a line in a tile
  const number = new Intl.NumberFormat("en").format;
  const byId = (id) => document.getElementById(id);
  let now = data.at;

  function make(name, properties = {}, ...inside) {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(properties)) {
      if (key === "class") made.className = value;
      else if (key in made && key !== "list") made[key] = value;
      else made.setAttribute(key, value);
    }
    made.append(...inside);
    return made;
  }

  const step = () => data.steps[now];
  const levelOf = (entry) => LEVELS[entry.levels[now]];
  const costOf = (entry) => {
    const level = levelOf(entry);
    return level.style === "out" ? null : entry.costs[level.cost];
  };
  // Between two packets nobody has looked: what comes in there, does so at the second at most.
  const most = (budget) => (data.within && budget ? `≤ ${number(budget)}` : number(budget));
  const tokens = (count) => `${number(count)} ${count === 1 ? "token" : "tokens"}`;

  // --- one entry ----------------------------------------------------------------------------

  function fact(list, name, value, properties = {}) {
    list.append(make("dt", {}, name), make("dd", properties, value));
  }

  function needed(span) {
    if (!span) return `nothing up to ${number(data.steps.at(-1).budget)} is enough`;
    const until = span[1] === null ? "" : `, up to ${number(span[1])}`;
    const exact = data.within && span[0] ? "at most " : "";
    return `from a budget of ${exact}${number(span[0])}${until}`;
  }

  function history(entry) {
    const runs = [];
    for (let at = 0; at < data.steps.length; at += 1) {
      const sign = entry.levels[at];
      if (runs.length && runs.at(-1).sign === sign) runs.at(-1).last = at;
      else runs.push({ sign, first: at, last: at });
    }
    return runs
      .map((run) => {
        const [first, last] = [data.steps[run.first].budget, data.steps[run.last].budget];
        const span = first === last ? number(first) : `${number(first)} to ${number(last)}`;
        return `${LEVELS[run.sign].name} at ${span}`;
      })
      .join("; ");
  }

  function open(entry) {
    const level = levelOf(entry);
    byId("detail-title").textContent = entry.title || "(no title)";
    byId("detail-where").textContent = `${entry.id} (${entry.where})`;
    byId("detail-strip").replaceChildren(
      ...[...entry.levels].map((sign, at) =>
        make("i", { class: `${LEVELS[sign].style}${at === now ? " now" : ""}` }),
      ),
    );
    byId("detail-history").textContent = `Budgets: ${history(entry)}.`;
    const facts = byId("detail-facts");
    facts.replaceChildren();
    const at = `At ${number(step().budget)}`;
    fact(facts, at, level.style === "out" ? "out" : `${level.name}, ${tokens(costOf(entry))}`);
    fact(facts, `Why, at ${number(data.budget)}`, entry.reason, { dir: "auto" });
    fact(facts, "Said at all", needed(entry.takes[0]));
    fact(facts, "Said whole", needed(entry.takes[1]));
    const costs = ["whole", "key lines", "title"]
      .map((name, place) => [name, entry.costs[place]])
      .filter(([, cost]) => cost !== null)
      .map(([name, cost]) => `${name} ${number(cost)}`);
    fact(facts, "Tokens", costs.join(", "));
    fact(facts, "Kind", entry.date ? `${entry.kind}, ${entry.date}` : entry.kind);
    const parts = byId("detail-parts");
    parts.replaceChildren();
    fact(parts, "score", String(entry.score));
    data.parts.forEach((part, place) => {
      const value = entry.parts[place];
      if (value !== null) fact(parts, part.name, `${value} – ${part.meaning}`);
    });
    byId("detail").showModal();
  }

  // --- the treemap --------------------------------------------------------------------------

  // Squarified treemaps (Bruls, Huizing, van Wijk 2000): rows along the shorter side, each as
  // long as its worst proportion gets better. Returns places in the unit of `box`, the greatest
  // first, and last what is no entry.
  function squarify(items, box) {
    const total = items.reduce((sum, item) => sum + item.size, 0);
    if (!(total > 0 && box.w > 0 && box.h > 0)) return [];
    const scale = (box.w * box.h) / total;
    const left = items
      .filter((item) => item.size > 0)
      .map((item) => ({ item, area: item.size * scale }))
      .sort((one, other) => !one.item.entry - !other.item.entry || other.area - one.area);
    const placed = [];
    let { x, y, w, h } = box;
    const worst = (row, sum, side) => {
      const square = (side * side) / (sum * sum);
      const areas = row.map((one) => one.area);
      return Math.max(square * Math.max(...areas), 1 / (square * Math.min(...areas)));
    };
    while (left.length) {
      const side = Math.min(w, h);
      const row = [left.shift()];
      let sum = row[0].area;
      while (left.length) {
        const longer = [...row, left[0]];
        if (worst(longer, sum + left[0].area, side) > worst(row, sum, side)) break;
        sum += left[0].area;
        row.push(left.shift());
      }
      const thick = side > 0 ? sum / side : 0;
      let along = 0;
      for (const { item, area } of row) {
        const long = thick > 0 ? area / thick : 0;
        placed.push(
          w >= h
            ? { item, x, y: y + along, w: thick, h: long }
            : { item, x: x + along, y, w: long, h: thick },
        );
        along += long;
      }
      if (w >= h) [x, w] = [x + thick, Math.max(0, w - thick)];
      else [y, h] = [y + thick, Math.max(0, h - thick)];
    }
    return placed;
  }

  function put(element, place, box) {
    const share = (part, whole) => `${((100 * part) / whole).toFixed(3)}%`;
    element.style.left = share(place.x - box.x, box.w);
    element.style.top = share(place.y - box.y, box.h);
    element.style.width = share(place.w, box.w);
    element.style.height = share(place.h, box.h);
  }

  const map = byId("map");
  const areas = new Map(); // by section's place, and "frame"
  const tiles = new Map(); // by entry
  let tabbed = null; // the entry that Tab comes to

  function areaOf(key) {
    if (!areas.has(key)) {
      const label = make("div", { class: "label" });
      const inside = make("div", { class: "inside" });
      const rest = make("div", { class: "rest frame" });
      const element = make("div", { class: "area" }, label, inside);
      areas.set(key, { element, label, inside, rest });
    }
    return areas.get(key);
  }

  function tileOf(entry) {
    if (!tiles.has(entry)) {
      const text = make("span", { dir: "auto" });
      const tile = make("button", { type: "button", class: "tile", tabIndex: -1 }, text);
      tile.addEventListener("click", () => open(entry));
      tile.addEventListener("focus", () => reach(entry));
      tiles.set(entry, tile);
    }
    return tiles.get(entry);
  }

  function reach(entry) {
    if (tabbed && tiles.has(tabbed)) tiles.get(tabbed).tabIndex = -1;
    tabbed = entry;
    if (entry) tileOf(entry).tabIndex = 0;
  }

  function drawMap() {
    const box = { x: 0, y: 0, w: map.clientWidth, h: map.clientHeight };
    const items = step().sections.map((share, place) => ({ key: place, size: share ? share[1] : 0 }));
    items.push({ key: "frame", size: step().frame });
    const shown = squarify(items, box).sort((one, other) => order(one) - order(other));
    const wanted = [];
    const said = [];
    for (const place of shown) {
      const { key, size } = place.item;
      const area = areaOf(key);
      put(area.element, place, box);
      if (key === "frame") {
        area.element.className = `area bare frame${fits(place) ? "" : " small"}`;
        area.label.textContent = `frame ${number(size)}`;
      } else {
        area.label.replaceChildren(make("b", {}, data.sections[key].name), ` ${number(size)}`);
        said.push(...drawEntries(key, size, place, area));
      }
      area.element.title = area.label.textContent;
      wanted.push(area.element);
    }
    keep(map, wanted);
    if (!said.includes(tabbed)) reach(said[0] ?? null);
  }

  const order = (place) => (typeof place.item.key === "number" ? place.item.key : 1000);

  function drawEntries(key, size, place, area) {
    const labelled = fits(place, LEAST_AREA);
    const inner = { x: 0, y: 0, w: place.w, h: place.h - (labelled ? LABEL_HEIGHT : 0) };
    const held = data.entries.filter((entry) => entry.section === key && costOf(entry) !== null);
    const items = held.map((entry) => ({ entry, size: costOf(entry) }));
    const rest = size - items.reduce((sum, item) => sum + item.size, 0);
    if (rest > 0) items.push({ entry: null, size: rest }); // headings, and the line that counts
    const placed = new Map(squarify(items, inner).map((one) => [one.item.entry, one]));
    const drawn = held.filter((entry) => placed.has(entry));
    for (const entry of drawn) {
      const level = levelOf(entry);
      const tile = tileOf(entry);
      const at = placed.get(entry);
      put(tile, at, inner);
      const small = fits(at) ? "" : " small";
      tile.className = `tile ${level.style}${small}`;
      tile.firstChild.textContent = `${level.sign} ${entry.title}`;
      tile.firstChild.style.webkitLineClamp = String(Math.max(1, Math.floor((at.h - 8) / LINE)));
      const about = `${data.sections[key].name}: ${entry.title}, ${level.name}, ${tokens(costOf(entry))}`;
      tile.setAttribute("aria-label", about);
      tile.title = about;
    }
    const wanted = drawn.map(tileOf);
    const over = placed.get(null);
    if (over) {
      put(area.rest, over, inner);
      area.rest.className = `rest frame${fits(over) ? "" : " small"}`;
      area.rest.textContent = fits(over) ? `headings ${number(rest)}` : "";
      wanted.push(area.rest);
    }
    keep(area.inside, wanted);
    area.element.className = labelled ? "area" : "area small";
    return drawn;
  }

  const fits = (place, least = LEAST) => place.w >= least.w && place.h >= least.h;

  // Puts `wanted` into `parent` in their order, without moving what stands right: the focus and
  // running transitions stay.
  function keep(parent, wanted) {
    const set = new Set(wanted);
    for (const child of [...parent.children]) if (!set.has(child)) child.remove();
    wanted.forEach((child, at) => {
      if (parent.children[at] !== child) parent.insertBefore(child, parent.children[at] ?? null);
    });
  }

  map.addEventListener("keydown", (event) => {
    const all = [...map.querySelectorAll(".tile")];
    const at = all.indexOf(document.activeElement);
    const to = {
      ArrowRight: at + 1,
      ArrowDown: at + 1,
      ArrowLeft: at - 1,
      ArrowUp: at - 1,
      Home: 0,
      End: all.length - 1,
    }[event.key];
    if (to === undefined || at < 0) return;
    event.preventDefault();
    all[Math.min(Math.max(to, 0), all.length - 1)].focus();
  });

  // --- sections -----------------------------------------------------------------------------

  const sectionRows = data.sections.map((section) => {
    const bars = ["wanted", "given", "used"].map((name) => make("i", { class: name }));
    const cells = Array.from({ length: 6 }, () => make("td", { class: "number" }));
    const row = make(
      "tr",
      {},
      make("th", { scope: "row" }, section.name),
      make("td", {}, make("div", { class: "bar", "aria-hidden": "true" }, ...bars)),
      ...cells,
    );
    return { row, bars, cells };
  });
  byId("sections").tBodies[0].append(...sectionRows.map((one) => one.row));

  function drawSections() {
    sectionRows.forEach(({ bars, cells }, place) => {
      const [given, used, said, titles, leftOut] = step().sections[place] ?? [0, 0, 0, 0, 0];
      const asked = data.sections[place].asked;
      const most = Math.max(asked, given, used, 1);
      [asked, given, used].forEach((figure, at) => {
        bars[at].style.width = `${(100 * figure) / most}%`;
        bars[at].classList.toggle("none", figure === 0);
      });
      [used, given, asked, said, titles, leftOut].forEach((figure, at) => {
        cells[at].textContent = number(figure);
      });
    });
  }

  // --- entries ------------------------------------------------------------------------------

  const RANK = { f: 0, k: 1, t: 2, ".": 3 };
  const start = (span) => (span ? span[0] : null);
  const columns = [
    { name: "Outcome", value: (entry) => RANK[entry.levels[now]], first: 1, moves: true },
    { name: "Entry", value: (entry) => entry.title.toLowerCase(), first: 1 },
    { name: "Section", value: (entry) => entry.section, first: 1 },
    { name: "Tokens", value: costOf, first: -1, moves: true, number: true },
    { name: "At all from", value: (entry) => start(entry.takes[0]), first: 1, number: true },
    { name: "Whole from", value: (entry) => start(entry.takes[1]), first: 1, number: true },
    { name: "Score", value: (entry) => entry.score, first: -1, number: true },
    { name: `Why, at ${number(data.budget)}`, value: (entry) => entry.reason, first: 1 },
    ...data.parts.map((part, place) => ({
      name: part.name,
      about: part.meaning,
      value: (entry) => entry.parts[place],
      first: -1,
      number: true,
      part: true,
    })),
  ];
  let sorted = null; // { column, direction }

  const heads = columns.map((column) => {
    const button = make("button", { type: "button" }, column.name);
    if (column.about) button.title = column.about;
    button.addEventListener("click", () => sortBy(column));
    const kind = `${column.number ? "number" : ""}${column.part ? " part" : ""}`;
    const head = make("th", { scope: "col", class: kind }, button);
    byId("table").tHead.rows[0].append(head);
    return head;
  });

  // What comes in next, then what is in by its score; then what never comes in, and the rules.
  const group = (entry) => {
    if (entry.levels[data.at] === "f") return entry.score ? 1 : 3;
    return entry.takes[0] || entry.takes[1] ? 0 : 2;
  };
  const worth = [() => 0, (entry) => entry.score, () => 0, (entry) => entry.section];
  const ordered = [...data.entries].sort((one, other) => {
    const [mine, others] = [group(one), group(other)];
    return mine - others || worth[mine](other) - worth[mine](one);
  });

  const rows = ordered.map((entry, place) => {
    const title = make("button", { type: "button", class: "open", dir: "auto" });
    title.textContent = entry.title || "(no title)";
    title.addEventListener("click", () => open(entry));
    const mark = make("span", { class: "mark", "aria-hidden": "true" });
    const outcome = make("span");
    const cost = make("td", { class: "number" });
    const figure = (value) =>
      make("td", { class: "number" }, value === null ? "–" : most(value));
    const exact = (value) => make("td", { class: "number" }, value === null ? "" : String(value));
    const part = (value) => {
      const cell = exact(value);
      cell.classList.add("part");
      return cell;
    };
    const element = make(
      "tr",
      {},
      make("td", { class: "nowrap" }, mark, outcome),
      make("th", { scope: "row" }, title, make("p", { class: "where" }, entry.id)),
      make("td", { class: "nowrap" }, data.sections[entry.section].name),
      cost,
      figure(start(entry.takes[0])),
      figure(start(entry.takes[1])),
      exact(entry.score),
      make("td", { class: "why", dir: "auto" }, entry.reason),
      ...entry.parts.map(part),
    );
    const text = `${entry.title} ${entry.id} ${entry.kind} ${entry.reason}`.toLowerCase();
    return { entry, place, element, mark, outcome, cost, text, sign: "" };
  });
  byId("table").tBodies[0].append(...rows.map((row) => row.element));

  function drawRows() {
    for (const row of rows) {
      const sign = row.entry.levels[now];
      if (sign === row.sign) continue;
      row.sign = sign;
      const level = LEVELS[sign];
      row.mark.className = `mark ${level.style}`;
      row.mark.textContent = level.sign;
      row.outcome.textContent = level.name;
      const cost = costOf(row.entry);
      row.cost.textContent = cost === null ? "–" : number(cost);
    }
    if (sorted?.column.moves) sort();
    filter();
  }

  function sortBy(column) {
    const again = sorted?.column === column;
    sorted = { column, direction: again ? -sorted.direction : column.first };
    columns.forEach((one, place) => {
      if (one !== column) heads[place].removeAttribute("aria-sort");
      else heads[place].setAttribute("aria-sort", sorted.direction > 0 ? "ascending" : "descending");
    });
    sort();
  }

  function sort() {
    const { column, direction } = sorted;
    const keyed = rows.map((row) => ({ row, key: column.value(row.entry) }));
    keyed.sort((one, other) => {
      const [a, b] = [one.key, other.key];
      if (a === null || b === null) return (a === null) - (b === null) || one.row.place - other.row.place;
      if (a === b) return one.row.place - other.row.place;
      return a < b ? -direction : direction;
    });
    byId("table").tBodies[0].append(...keyed.map(({ row }) => row.element));
  }

  function filter() {
    const words = byId("find").value.toLowerCase().split(/\s+/).filter(Boolean);
    const outcome = byId("outcome").value;
    let shown = 0;
    for (const row of rows) {
      const fits = (!outcome || row.sign === outcome) && words.every((word) => row.text.includes(word));
      row.element.hidden = !fits;
      shown += fits;
    }
    const left = data.omitted ? `; ${number(data.omitted)} more are not on this page` : "";
    byId("count").textContent = `${number(shown)} of ${number(rows.length)} entries${left}`;
  }

  byId("filters").addEventListener("submit", (event) => event.preventDefault());
  byId("find").addEventListener("input", filter);
  byId("outcome").addEventListener("input", filter);
  byId("parts").addEventListener("change", (event) => {
    byId("table").classList.toggle("whole", event.target.checked);
  });
  for (const [sign, level] of Object.entries(LEVELS)) {
    byId("outcome").append(make("option", { value: sign }, level.name));
  }

  // --- the slider ---------------------------------------------------------------------------

  const slider = byId("budget");
  slider.max = String(data.steps.length - 1);
  byId("marks").append(make("option", { value: String(data.at) }));

  function show(at) {
    now = at;
    const { budget, tokens: used, free, degraded } = step();
    slider.value = String(at);
    slider.setAttribute("aria-valuetext", `${tokens(budget)}, packet ${number(used)}`);
    const times = data.budget ? `, ${(budget / data.budget).toFixed(2)} times what was asked` : "";
    byId("figures").replaceChildren(
      make("strong", {}, tokens(budget)),
      `${times}: the packet has `,
      make("strong", {}, number(used)),
    );
    byId("spent").style.width = `${budget ? (100 * (budget - free)) / budget : 100}%`;
    byId("free").textContent = `${number(free)} of ${number(budget)} not spent`;
    byId("degraded").hidden = !degraded;
    byId("degraded").textContent = degraded ? `Degraded: ${degraded}` : "";
    drawMap();
    drawSections();
    drawRows();
  }

  // Only what a person does moves: not the first picture, and not another width.
  const moved = (at) => {
    document.body.classList.add("moving");
    show(at);
  };
  slider.addEventListener("input", () => moved(Number(slider.value)));
  byId("reset").textContent = `Back to ${number(data.budget)}`;
  byId("reset").addEventListener("click", () => moved(data.at));

  // --- what stands still --------------------------------------------------------------------

  for (const [name, value] of data.asked) {
    byId("asked").append(make("div", {}, make("dt", {}, name), make("dd", { dir: "auto" }, value)));
  }
  byId("warnings").append(...data.warnings.map((text) => make("li", {}, text)));
  const legend = [
    ...["f", "k", "t"].map((sign) => [LEVELS[sign].style, LEVELS[sign].sign, LEVELS[sign].name]),
    ["frame", "", "headings and frame"],
  ];
  for (const [style, sign, name] of legend) {
    const swatch = make("span", { class: `swatch ${style}`, "aria-hidden": "true" }, sign);
    byId("legend").append(make("li", {}, swatch, name));
  }

  byId("within").hidden = !data.within;
  byId("within").textContent =
    `≤: packets were made every ${number(data.within)} tokens; ctx explain with an id finds the figure.`;

  show(data.at);
  let width = map.clientWidth;
  new ResizeObserver(() => {
    if (map.clientWidth !== width) document.body.classList.remove("moving");
    width = map.clientWidth;
    drawMap();
  }).observe(map);
})();

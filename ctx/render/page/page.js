"use strict";
// Draws what the data says into the markup of `body.html`. Every figure of a packet stands in the
// data; here they are only looked up, laid out and sorted. Texts reach the page as text, never as
// markup. `addressOf` returns where an entry is shown whole; null for nowhere.
function drawPacket(data, addressOf = () => null) {
  const LEVELS = {
    f: { name: "full", sign: "■", style: "full", cost: 0 },
    k: { name: "key lines", sign: "◧", style: "key-lines", cost: 1 },
    t: { name: "title only", sign: "▭", style: "title", cost: 2 },
    ".": { name: "omitted", sign: "–", style: "out", cost: 2 },
  };
  const LABEL_HEIGHT = 22; // pixels of a section's name above its entries
  const LEAST = { w: 66, h: 36 }; // pixels of a tile that has room for two lines of a title
  const LEAST_COUNT = { w: 44, h: 22 }; // and for "+12"
  const NAME = 190; // pixels that a name in a list of several wants
  const LEAST_REST = { w: 104, h: 22 }; // and for "headings 123"
  const LEAST_AREA = { w: 64, h: 52 }; // of a section that has room for its name
  const MOST_NAMED = 8; // entries that a note on several names
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
    const where = `${entry.id} (${entry.where})`;
    const address = addressOf(entry);
    byId("detail-where").replaceChildren(address ? make("a", { href: address }, where) : where);
    byId("detail-strip").replaceChildren(
      ...[...entry.levels].map((sign, at) =>
        make("i", { class: `${LEVELS[sign].style}${at === now ? " now" : ""}` }),
      ),
    );
    byId("detail-history").textContent = `Budgets: ${history(entry)}.`;
    const facts = byId("detail-facts");
    facts.replaceChildren();
    const at = `At ${number(step().budget)}`;
    fact(facts, at, level.style === "out" ? level.name : `${level.name}, ${tokens(costOf(entry))}`);
    fact(facts, `Why, at ${number(data.budget)}`, entry.reason, { dir: "auto" });
    fact(facts, "Included", needed(entry.takes[0]));
    fact(facts, "In full", needed(entry.takes[1]));
    const costs = ["full", "key lines", "title only"]
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
  // long as its worst proportion gets better. Returns places in the unit of `box`: the greatest
  // first, and last what is `late`.
  function squarify(items, box) {
    const total = items.reduce((sum, item) => sum + item.size, 0);
    if (!(total > 0 && box.w > 0 && box.h > 0)) return [];
    const scale = (box.w * box.h) / total;
    const left = items
      .filter((item) => item.size > 0)
      .map((item) => ({ item, area: item.size * scale }))
      .sort((one, other) => Boolean(one.item.late) - Boolean(other.item.late) || other.area - one.area);
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
  const areas = new Map(); // by the place of a section, and "overhead"
  const tiles = new Map(); // by entry, and by "others of" a section
  const notes = new Map(); // what the note on an element says: its lines, the first as a heading
  let tabbed = null; // the tile that Tab comes to

  function areaOf(key) {
    if (!areas.has(key)) {
      const label = make("div", { class: "label" });
      const inside = make("div", { class: "inside" });
      const rest = make("div", { class: "rest overhead" });
      const element = make("div", { class: "area" }, label, inside);
      areas.set(key, { element, label, inside, rest });
    }
    return areas.get(key);
  }

  function tileOf(key) {
    if (!tiles.has(key)) {
      const text = make("span", { dir: "auto" });
      const tile = make("button", { type: "button", class: "tile", tabIndex: -1 }, text);
      tile.addEventListener("focus", () => reach(tile));
      tiles.set(key, tile);
    }
    return tiles.get(key);
  }

  function reach(tile) {
    if (tabbed) tabbed.tabIndex = -1;
    tabbed = tile;
    if (tile) tile.tabIndex = 0;
  }

  function drawMap() {
    hideNote();
    const box = { x: 0, y: 0, w: map.clientWidth, h: map.clientHeight };
    const items = step().sections.map((share, place) => ({ key: place, size: share ? share[1] : 0 }));
    items.push({ key: "overhead", size: step().overhead, late: true });
    const shown = squarify(items, box).sort((one, other) => order(one) - order(other));
    const wanted = [];
    const drawn = [];
    for (const place of shown) {
      const { key, size } = place.item;
      const area = areaOf(key);
      put(area.element, place, box);
      if (key === "overhead") {
        const room = fits(place, LEAST_REST) ? "" : " small";
        area.element.className = `area bare overhead${room}`;
        area.label.textContent = `overhead ${number(size)}`;
        notes.set(area.element, ["overhead", `${tokens(size)}: title, notices, read order`]);
      } else {
        area.label.replaceChildren(make("b", {}, data.sections[key].name), ` ${number(size)}`);
        notes.set(area.label, [data.sections[key].name, tokens(size)]);
        drawn.push(...drawEntries(key, size, place, area));
      }
      wanted.push(area.element);
    }
    keep(map, wanted);
    if (!drawn.includes(tabbed)) reach(drawn[0] ?? null);
  }

  const order = (place) => (typeof place.item.key === "number" ? place.item.key : 1000);

  // Returns the places of as many entries, the greatest first, as can be read; the others share
  // one tile, which can be read as well. `rest` is what belongs to no entry.
  function readable(held, rest, box) {
    const sizes = held.map((entry) => ({ entry, size: costOf(entry) }));
    sizes.sort((one, other) => other.size - one.size);
    const total = sizes.reduce((sum, item) => sum + item.size, rest);
    const least = (LEAST.w * LEAST.h * total) / (box.w * box.h);
    for (let shown = sizes.filter((item) => item.size >= least).length; ; shown -= 1) {
      const others = sizes.slice(shown);
      const items = sizes.slice(0, shown);
      const size = others.reduce((sum, item) => sum + item.size, 0);
      if (others.length) items.push({ others: others.map((item) => item.entry), size, late: true });
      if (rest > 0) items.push({ size: rest, late: true });
      const placed = squarify(items, box);
      const tight = placed.some(
        (place) =>
          (place.item.entry && !fits(place)) || (place.item.others && !fits(place, LEAST_COUNT)),
      );
      if (!tight || shown <= 0) return placed;
    }
  }

  function drawEntries(key, size, place, area) {
    const labelled = fits(place, LEAST_AREA);
    const inner = { x: 0, y: 0, w: place.w, h: place.h - (labelled ? LABEL_HEIGHT : 0) };
    const held = data.entries.filter((entry) => entry.section === key && costOf(entry) !== null);
    // Headings, and the lines that count what is omitted.
    const rest = size - held.reduce((sum, entry) => sum + costOf(entry), 0);
    const name = data.sections[key].name;
    const wanted = [];
    for (const at of readable(held, rest, inner)) {
      const { entry, others } = at.item;
      const element = entry || others ? tileOf(entry ?? `others of ${key}`) : area.rest;
      put(element, at, inner);
      if (entry) drawOne(element, entry, name, at);
      else if (others) drawOthers(element, others, name, at);
      else {
        area.rest.className = "rest overhead";
        area.rest.textContent = fits(at, LEAST_REST) ? `headings ${number(rest)}` : "";
        notes.set(area.rest, [`headings of ${name}`, tokens(rest)]);
      }
      wanted.push(element);
    }
    keep(area.inside, wanted);
    area.element.className = labelled ? "area" : "area small";
    return wanted.filter((element) => element !== area.rest);
  }

  function drawOne(tile, entry, section, at) {
    const level = levelOf(entry);
    tile.className = `tile ${level.style}`;
    write(tile, `${level.sign} ${entry.title}`, at);
    const about = `${level.name}, ${tokens(costOf(entry))}`;
    tile.setAttribute("aria-label", `${section}: ${entry.title}, ${about}`);
    notes.set(tile, [entry.title || "(no title)", `${section}: ${about}`]);
    tile.onclick = () => open(entry);
  }

  function drawOthers(tile, others, section, at) {
    const size = others.reduce((sum, entry) => sum + costOf(entry), 0);
    const styles = new Set(others.map((entry) => levelOf(entry).style));
    tile.className = `tile others ${styles.size === 1 ? [...styles][0] : "key-lines"}`;
    const noun = others.length === 1 ? "other" : "others";
    const count = `${number(others.length)} ${noun}`;
    write(tile, fits(at) ? count : `+${number(others.length)}`, at);
    const rows = fits(at) ? Math.max(0, Math.floor((at.h - LABEL_HEIGHT - 8) / LINE)) : 0;
    const columns = Math.max(1, Math.min(Math.floor(at.w / NAME), Math.ceil(others.length / (rows || 1))));
    const names = others.slice(0, rows * columns).map((entry) => {
      const level = levelOf(entry);
      return make("span", { class: "one", dir: "auto" }, `${level.sign} ${entry.title}`);
    });
    const lines = make("span", { class: "lines" }, ...names);
    lines.style.gridTemplate = `repeat(${rows || 1}, ${LINE}px) / repeat(${columns}, minmax(0, 1fr))`;
    if (names.length) tile.append(lines);
    const about = `${section}: ${tokens(size)}`;
    tile.setAttribute("aria-label", `${count} of ${about}`);
    const named = others.slice(0, MOST_NAMED).map((entry) => `${levelOf(entry).sign} ${entry.title}`);
    const more = others.length - named.length;
    notes.set(tile, [count, about, ...named, ...(more > 0 ? [`… and ${number(more)} more`] : [])]);
    tile.onclick = () => list(`${count} of ${section}`, others);
  }

  function write(tile, text, at) {
    tile.replaceChildren(tile.firstChild);
    tile.firstChild.textContent = text;
    tile.firstChild.style.webkitLineClamp = String(Math.max(1, Math.floor((at.h - 6) / LINE)));
  }

  // What shares one tile, each of it to be opened.
  function list(title, entries) {
    byId("others-title").textContent = title;
    byId("others-list").replaceChildren(
      ...entries.map((entry) => {
        const level = levelOf(entry);
        const mark = make("span", { class: `mark ${level.style}`, "aria-hidden": "true" }, level.sign);
        const button = make("button", { type: "button", class: "open", dir: "auto" });
        button.textContent = entry.title || "(no title)";
        button.addEventListener("click", () => {
          byId("others").close();
          open(entry);
        });
        return make("li", {}, mark, button, make("span", { class: "number" }, tokens(costOf(entry))));
      }),
    );
    byId("others").showModal();
  }

  // --- notes on what is pointed at, or has the focus ----------------------------------------

  const note = byId("map-note");
  const hideNote = () => {
    note.hidden = true;
  };

  function showNote(element) {
    const lines = notes.get(element);
    if (!lines) return;
    note.replaceChildren(
      ...lines.map((line, at) => make(at ? "span" : "b", { dir: "auto" }, line)),
    );
    note.hidden = false;
    const [frame, box] = [map.getBoundingClientRect(), element.getBoundingClientRect()];
    const right = frame.width - note.offsetWidth - 2;
    note.style.left = `${Math.max(2, Math.min(box.left - frame.left, right))}px`;
    const below = box.bottom - frame.top + 4;
    const above = box.top - frame.top - note.offsetHeight - 4;
    const inSight = box.bottom + note.offsetHeight + 8 < window.innerHeight;
    note.style.top = `${inSight || box.top < note.offsetHeight ? below : above}px`;
  }

  const noted = (event) => event.target.closest?.(".tile, .rest, .area.bare, .area > .label");
  map.addEventListener("pointerover", (event) => {
    const element = noted(event);
    if (element) showNote(element);
    else hideNote();
  });
  map.addEventListener("pointerleave", hideNote);
  map.addEventListener("focusin", (event) => {
    if (event.target.matches(":focus-visible")) showNote(event.target);
  });
  map.addEventListener("focusout", hideNote);

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
    if (event.key === "Escape") hideNote();
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
      const [given, used, included, titles, omitted] = step().sections[place] ?? [0, 0, 0, 0, 0];
      const asked = data.sections[place].asked;
      const most = Math.max(asked, given, used, 1);
      [asked, given, used].forEach((figure, at) => {
        bars[at].style.width = `${(100 * figure) / most}%`;
        bars[at].classList.toggle("none", figure === 0);
      });
      [used, given, asked, included, titles, omitted].forEach((figure, at) => {
        cells[at].textContent = number(figure);
      });
    });
  }

  // --- entries ------------------------------------------------------------------------------

  const RANK = { f: 0, k: 1, t: 2, ".": 3 };
  const start = (span) => (span ? span[0] : null);
  const columns = [
    {
      name: "Level",
      about: "how much of the entry the packet includes, at the budget of the slider",
      value: (entry) => RANK[entry.levels[now]],
      first: 1,
      moves: true,
    },
    {
      name: "Entry",
      about: "its title, and its id: the file and what identifies it there",
      value: (entry) => entry.title.toLowerCase(),
      first: 1,
    },
    {
      name: "Section",
      about: "the section of the packet that it is in, or would be",
      value: (entry) => entry.section,
      first: 1,
    },
    {
      name: "Tokens",
      about: "what it costs at that level; a dash where it is omitted",
      value: costOf,
      first: -1,
      moves: true,
      number: true,
    },
    {
      name: "Included from",
      about: "the smallest budget that was tried at which it is included, if only by its title",
      value: (entry) => start(entry.takes[0]),
      first: 1,
      number: true,
    },
    {
      name: "Full from",
      about: "the smallest budget that was tried at which it is included in full",
      value: (entry) => start(entry.takes[1]),
      first: 1,
      number: true,
    },
    {
      name: "Score",
      about: "how much it matters to the query, or now; higher comes first",
      value: (entry) => entry.score,
      first: -1,
      number: true,
    },
    {
      name: `Why, at ${number(data.budget)}`,
      about: "what decided at the budget that was asked for, wherever the slider is",
      value: (entry) => entry.reason,
      first: 1,
    },
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
    button.title = column.about;
    if (!column.part) fact(byId("columns"), column.name, column.about);
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
    const part = data.budget ? `, ${(budget / data.budget).toFixed(2)} times what was asked` : "";
    const times = budget === data.budget ? ", as asked" : part;
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

  byId("title").textContent = data.title;
  for (const [name, value] of data.asked) {
    byId("asked").append(make("div", {}, make("dt", {}, name), make("dd", { dir: "auto" }, value)));
  }
  byId("warnings").append(...data.warnings.map((text) => make("li", {}, text)));
  const legend = [
    ...["f", "k", "t"].map((sign) => [LEVELS[sign].style, LEVELS[sign].sign, LEVELS[sign].name]),
    ["overhead", "", "headings and overhead"],
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
}

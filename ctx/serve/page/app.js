// The pages of `ctx serve`. Each is a function from what its address asks to markup; texts of
// entries reach the page as text, since lit-html never takes a value for markup.
import { html, nothing, render } from "./lit-html.js";

const byId = (id) => document.getElementById(id);
const number = new Intl.NumberFormat("en").format;
const plural = (count, noun, many = `${noun}s`) => `${number(count)} ${count === 1 ? noun : many}`;
const address = (page, given = {}) => {
  const asked = Object.entries(given).filter(([, value]) => value !== "" && value !== undefined);
  return `#${page}${asked.length ? `?${new URLSearchParams(asked)}` : ""}`;
};

async function call(name, given = {}) {
  let answer;
  try {
    answer = await fetch(name, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(given),
    });
  } catch {
    throw new Error("ctx serve has ended: start it again, and open the address that it prints");
  }
  const type = answer.headers.get("Content-Type") ?? "";
  if (!type.startsWith("application/json")) throw new Error(await answer.text());
  const found = await answer.json();
  if (!answer.ok) throw new Error(found.error.join("\n"));
  return found;
}

// --- parts of pages -----------------------------------------------------------------------------

const SESSION = /^(?!\.\/).*?sessions\/(?:summaries\/)?([^/]+)\.jsonl$/;
const AROUND = 20; // turns of a session that are shown after the one that is asked for

// Where a file is shown at a line; imported sessions have a page of their own.
function source(path, line, text = `${path}:${line}`) {
  const [, id] = SESSION.exec(path) ?? [];
  const shown = id ? address("session", { id, line: line + AROUND }) : address("file", { path, line });
  return html`<a class="source" href=${shown}>${text}</a>`;
}

const badge = (text, kind = "") => (text ? html`<span class="badge ${kind}">${text}</span>` : nothing);
const entryLink = (id, title) =>
  html`<a class="heading" dir="auto" href=${address("entry", { id })}>${title || "(no title)"}</a>`;
const heading = (text, help) => html`<h1>${text}</h1>${help ? html`<p class="help">${help}</p>` : nothing}`;
const none = (text) => html`<p class="none">${text}</p>`;
const share = (part) => {
  const bar = document.createElement("i");
  bar.style.width = `${Math.min(100, 100 * part)}%`;
  return html`<span class="meter" aria-hidden="true">${bar}</span>`;
};
const scroll = (label, table) =>
  html`<div class="scroll" tabindex="0" role="region" aria-label=${label}>${table}</div>`;

function field(label, name, value, more = {}) {
  const { type = "text", hint = "", min } = more;
  return html`<label>${label}
    <input name=${name} type=${type} .value=${value ?? ""} placeholder=${hint} min=${min ?? nothing}
      autocomplete="off" spellcheck="false"></label>`;
}

function choice(label, name, values, chosen) {
  return html`<label>${label}
    <select name=${name}>${values.map(([value, text]) =>
      html`<option value=${value} ?selected=${value === chosen}>${text}</option>`)}</select></label>`;
}

// A form whose fields are the address of the page that it leads to.
const asking = (page, fields, button) => html`
  <form class="asking" @submit=${(event) => {
    event.preventDefault();
    const wanted = address(page, Object.fromEntries(new FormData(event.target)));
    if (wanted === location.hash) show();
    else location.hash = wanted;
  }}>${fields}<button type="submit" class="main">${button}</button></form>`;

// --- tasks --------------------------------------------------------------------------------------

const STATES = { todo: "Open", start: "In progress", block: "Blocked", done: "Done", skip: "Skipped" };
const READ = { "": "todo", "in-progress": "start", blocked: "block", done: "done", skipped: "skip" };
const WORDS = { "": "open", "in-progress": "in progress" };
const statusOf = (status) => WORDS[status] ?? status;

async function mark(id, state) {
  const marked = await attempt(() => call("task", { id, state }));
  if (!marked) return;
  const already = marked.changed ? "" : " already";
  await show(`${marked.file}:${marked.line} is ${statusOf(marked.status)}${already}: ${marked.title}`);
}

const marks = (entry) => html`<div class="marks" role="group" aria-label=${`Mark: ${entry.title}`}>
  ${Object.entries(STATES).map(([state, name]) => html`<button type="button"
    aria-pressed=${READ[entry.status] === state} @click=${() => mark(entry.id, state)}>${name}</button>`)}
</div>`;

// --- adding -------------------------------------------------------------------------------------

const PARTS = {
  decision: ["context", "decision", "rationale", "consequence"],
  learning: ["context", "lesson", "application"],
  task: [],
  convention: [],
  rule: [],
};

async function add(event, kind) {
  event.preventDefault();
  const form = event.target;
  const given = { kind, ...Object.fromEntries(new FormData(form)) };
  for (const name of ["phase", "priority", "supersedes"]) if (!given[name]) delete given[name];
  given.force = form.force.checked;
  const added = await attempt(() => call("add", given));
  if (!added) return;
  form.reset();
  form.closest("details").open = false;
  await show(`${added.file}:${added.line}: added ${added.title}`);
}

const adding = (kind) => html`<details class="adding"><summary>Add a ${kind}</summary>
  <form @submit=${(event) => add(event, kind)}>
    <label class="wide">${PARTS[kind].length ? "Title" : `The ${kind}, in one line`}
      <input name="title" required autocomplete="off"></label>
    ${PARTS[kind].map((part) => html`<label class="wide">${part}
      <textarea name=${part} rows="2"></textarea></label>`)}
    ${PARTS[kind].length
      ? field("Supersedes", "supersedes", "", { hint: "id or title, if any" })
      : field("Below the heading", "phase", "", { hint: "the file decides" })}
    ${kind === "task"
      ? choice("Priority", "priority", [["", "none"], ["high", "high"], ["medium", "medium"], ["low", "low"]], "")
      : nothing}
    <label class="check"><input name="force" type="checkbox"> even if it repeats an entry</label>
    <button type="submit" class="main">Add</button>
  </form></details>`;

// --- pages --------------------------------------------------------------------------------------

const KINDS = {
  task: "Tasks", decision: "Decisions", learning: "Learnings", rule: "Rules",
  convention: "Conventions", lore: "Background", turn: "Turns", summary: "Summaries",
};
const HAVE = {
  task: ["", "open", "todo", "in-progress", "blocked", "done", "skipped"],
  decision: ["", "open", "superseded"],
  learning: ["", "open", "superseded"],
};

async function packetPage(given) {
  const asked = Object.fromEntries(Object.entries(given).filter(([, value]) => value));
  const found = await call("packet", asked);
  const body = document.createElement("div");
  body.append(byId("packet").content.cloneNode(true));
  return {
    view: html`${asking("packet", html`
        ${field("Query", "query", given.query, { type: "search", hint: "what the work is about" })}
        ${field("Budget", "budget", given.budget ?? found.budget, { type: "number", min: 1 })}
        ${field("Session", "session", given.session, { hint: "id, if any" })}
        ${field("As of", "as_of", given.as_of, { hint: "today" })}`, "Make the packet")}
      ${body}
      <section><h2>Its text</h2>
      <p class="help">What an agent gets at ${number(found.budget)} tokens.</p>
      <details><summary>Show the packet</summary><pre class="text" dir="auto">${found.text}</pre></details></section>`,
    after: () => drawPacket(found, (entry) => address("entry", { id: entry.id })),
  };
}

async function entriesPage({ kind = "task", status = "" }) {
  const found = await call("entries", { kind, status });
  const groups = new Map();
  for (const entry of found.entries) {
    const group = groups.get(entry.group) ?? [];
    groups.set(entry.group, [...group, entry]);
  }
  const row = (entry) => html`<li class=${kind === "task" ? "task" : ""}><div>
    <div class="line">${kind === "task" ? nothing : badge(entry.status)} ${entryLink(entry.id, entry.title)}</div>
    <p class="about">${entry.date ? html`<span>${entry.date}</span>` : nothing}
      ${entry.priority ? html`<span>priority ${["", "low", "medium", "high"][entry.priority] ?? entry.priority}</span>` : nothing}
      ${source(entry.file, entry.line)}</p></div>
    ${kind === "task" ? marks(entry) : nothing}</li>`;
  return html`${heading("Entries")}
    <nav class="kinds" aria-label="Kinds">${Object.entries(KINDS).map(([name, text]) => html`<a
      href=${address("entries", { kind: name })} aria-current=${name === kind ? "page" : nothing}>${text}</a>`)}</nav>
    ${kind in HAVE ? asking("entries", html`<input type="hidden" name="kind" .value=${kind}>
      ${choice("Status", "status", HAVE[kind].map((name) => [name, name || "any"]), status)}`, "Show") : nothing}
    ${kind in PARTS ? adding(kind) : nothing}
    <p class="help">${plural(found.total, "entry", "entries")}, ${["decision", "learning", "turn", "summary"].includes(kind) ? "newest first" : "as their files have them"}</p>
    ${found.entries.length ? nothing : none("None are there.")}
    ${[...groups].map(([name, entries]) => html`<section>
      ${name ? html`<h2 dir="auto">${name}</h2>` : nothing}<ul class="rows">${entries.map(row)}</ul></section>`)}`;
}

async function entryPage({ id = "" }) {
  const entry = await call("show", { id });
  const ids = (name, all) => all?.length
    ? html`<dt>${name}</dt><dd>${all.map((other) => html`<a class="id" href=${address("entry", { id: other })}>${other}</a> `)}</dd>`
    : nothing;
  const fact = (name, value) => (value ? html`<dt>${name}</dt><dd dir="auto">${value}</dd>` : nothing);
  return html`<p class="kicker">${entry.kind}</p><h1 dir="auto">${entry.title || "(no title)"}</h1>
    <dl class="facts">
      <dt>Source</dt><dd>${source(entry.file, entry.line)}</dd>
      ${fact("Id", entry.id)} ${fact("Date", entry.timestamp)}
      ${fact("Status", entry.kind === "task" ? statusOf(entry.status ?? "") : entry.status)}
      ${fact("Below", entry.group)} ${fact("Speaker", entry.speaker)}
      ${ids("Links", entry.links)} ${ids("Supersedes", entry.supersedes)}
      ${ids("Superseded by", entry.superseded_by)} ${ids("Summaries", entry.summaries)}
    </dl>
    ${entry.kind === "task" ? marks({ ...entry, status: entry.status ?? "" }) : nothing}
    <pre class="text" dir="auto">${entry.lead ? `${entry.lead}\n\n` : ""}${entry.body ?? ""}</pre>`;
}

async function searchPage({ query = "", kind = "", since = "" }) {
  const kinds = [["", "any"], ...Object.entries(KINDS)];
  const form = asking("search", html`
    ${field("Words", "query", query, { type: "search", hint: "what to look for" })}
    ${choice("Kind", "kind", kinds, kind)}
    ${field("Since", "since", since, { hint: "30d, or a day" })}`, "Search");
  if (!query) return html`${heading("Search", "Entries and past turns, best first.")}${form}`;
  const given = Object.fromEntries(Object.entries({ query, kind, since }).filter(([, value]) => value));
  const found = await call("search", { ...given, limit: 30 });
  return html`${heading("Search")}${form}
    <p class="help">${plural(found.results.length, "result")}${found.more ? ", and more" : ""}</p>
    ${(found.warnings ?? []).map((text) => html`<p class="note">${text}</p>`)}
    <ul class="rows">${found.results.map((each) => html`<li>
      <div class="line">${badge(each.kind)} ${entryLink(each.id, each.title)}</div>
      <p class="snippet" dir="auto">${each.snippet}</p>
      <p class="about">${each.timestamp ? html`<span>${each.timestamp.slice(0, 10)}</span>` : nothing}
        <span>score ${each.score.toFixed(2)}</span> ${source(each.source, each.line)}</p></li>`)}</ul>`;
}

async function sessionsPage() {
  const { sessions, warnings } = await call("sessions");
  return html`${heading("Sessions", "What was imported, newest first. Turns are quoted: data, not instructions.")}
    ${warnings.map((text) => html`<p class="note">${text}</p>`)}
    ${sessions.length ? nothing : none(html`None are stored: <code>ctx session import FILE</code> stores one.`)}
    <ul class="rows">${sessions.map((each) => html`<li>
      <div class="line"><a class="heading" dir="auto" href=${address("session", { id: each.id })}>${each.title || each.id}</a></div>
      <p class="about"><span>${each.first.slice(0, 10) || "undated"}</span><span>${plural(each.turns, "turn")}</span>
        <span>${each.summaries ? plural(each.summaries, "summary", "summaries") : "no summaries"}</span><span class="id">${each.id}</span></p></li>`)}</ul>`;
}

async function sessionPage({ id = "", line = "" }) {
  const found = await call("session", { id, ...(line ? { line: Number(line) } : {}) });
  const { turns, summaries, full } = found;
  const first = turns[0]?.line ?? 1;
  return html`<p class="kicker">session</p><h1 dir="auto">${id}</h1>
    <p class="about">${opener(full, first)}</p>
    <section><h2>${plural(summaries.length, "summary", "summaries")}</h2>
    ${summaries.length ? nothing : none(html`<code>ctx session compact --session ${id}</code> makes some.`)}
    ${summaries.map((each) => html`<article class="summary">
      <p class="about"><b>${each.id}</b><span>level ${each.level}</span><span>${plural(each.turns, "turn")}</span>
      <span>${number(each.tokens)} of ${number(each.covered)} tokens</span><span>${each.method}</span>
      <a href=${address("session", { id, line: each.line + AROUND })}>from line ${each.line}</a></p>
      <pre class="text" dir="auto">${each.text}</pre></article>`)}</section>
    <section><h2>Turns ${turns.length ? `from line ${number(first)} to ${number(turns.at(-1).line)}` : ""}</h2>
    <p class="help">${first > 1 ? html`<a href=${address("session", { id, line: first })}>Earlier turns</a> ` : nothing}
      ${line ? html`<a href=${address("session", { id })}>The last ones</a>` : nothing}</p>
    ${turns.map((turn) => html`<article class="turn ${turn.role}">
      <p class="about"><b>${turn.speaker || turn.role}</b><span>${turn.ts}</span><span>line ${turn.line}</span></p>
      <pre class="text" dir="auto">${turn.text}${turn.more ? `\n… and ${number(turn.more)} more characters` : ""}</pre></article>`)}</section>`;
}

async function sourcesPage() {
  const found = await call("sources");
  const known = new Map(found.sources.map((each) => [each.name ?? "", each]));
  const head = ["Entries", "Tokens", "Required", "In a packet"];
  const row = (file) => html`<tr><th scope="row">${source(file.path, 1, file.path)}</th>
    <td>${file.newest || "–"}</td>
    <td class="number">${number(file.entries)}</td><td class="number">${number(file.tokens)}</td>
    <td class="number">${file.hard ? number(file.hard) : "–"}</td>
    <td class="number">${number(file.included_tokens)} ${share(file.share)}</td></tr>`;
  return html`${heading("Sources", "What is read here, in order of precedence: of rules that contradict each other the first one holds.")}
    ${found.degraded ? html`<p class="note">Degraded: ${found.degraded}</p>` : nothing}
    ${found.advice.length ? html`<section><h2>What to do first</h2><ol class="advice">${found.advice.map((text) => html`<li dir="auto">${text}</li>`)}</ol></section>` : nothing}
    <section><h2>${plural(found.files.length, "file")}, ${plural(found.entries, "entry", "entries")}</h2>
    ${scroll("Table of files", html`<table class="files"><thead><tr><th scope="col">File</th><th scope="col">Newest</th>
      ${head.map((name) => html`<th scope="col" class="number">${name}</th>`)}</tr></thead>
      ${[...known].map(([name, each]) => html`<tbody>
        <tr class="group"><th scope="rowgroup" colspan="6"><b>${name || "context directory"}</b> ${each.gives}${each.hosts.length ? `; ${each.hosts.join(", ")} load it, too` : ""}</th></tr>
        ${found.files.filter((file) => file.source === name).map(row)}</tbody>`)}</table>`)}
    <details><summary>What the columns mean</summary><dl class="facts">
      <dt>Newest</dt><dd>day of its newest dated entry</dd>
      <dt>Entries</dt><dd>rules, tasks, decisions and other pieces that are read from it</dd>
      <dt>Tokens</dt><dd>of all of them, in full</dd>
      <dt>Required</dt><dd>tokens of required rules, which every packet holds</dd>
      <dt>In a packet</dt><dd>tokens that a packet of ${number(found.budget)} includes of it now</dd>
    </dl></details></section>`;
}

async function checkPage() {
  const found = await call("check");
  const rules = new Map();
  for (const each of found.findings) rules.set(each.rule, [...(rules.get(each.rule) ?? []), each]);
  return html`${heading("Findings", `${plural(found.errors, "error")}, ${plural(found.warnings, "warning")} of ctx check.`)}
    ${found.findings.length ? nothing : none("Nothing is wrong in the directory.")}
    ${[...rules].map(([rule, findings]) => html`<section><h2>${rule}</h2><ul class="rows">
      ${findings.map((each) => html`<li><div class="line">${badge(each.severity, each.severity)}
        <span class="heading" dir="auto">${each.message}</span></div>
        <p class="snippet" dir="auto">${each.remedy}</p>
        <p class="about">${source(each.file, each.line)}</p></li>`)}</ul></section>`)}`;
}

// A path and line to copy, and links that editors open.
function opener(full, line) {
  const place = `${full}:${line}`;
  const copy = async (event) => {
    await navigator.clipboard.writeText(place);
    event.target.textContent = "Copied";
  };
  const path = encodeURI(full).replaceAll("?", "%3F").replaceAll("#", "%23");
  const rooted = path.startsWith("/") ? path : `/${path}`;
  return html`<code class="place" dir="ltr">${place}</code>
    <button type="button" @click=${copy}>Copy</button>
    ${["VS Code vscode", "Cursor cursor", "Zed zed"].map((each) => {
      const [, name, scheme] = /^(.*) (.*)$/.exec(each);
      return html`<a href=${`${scheme}://file${rooted}:${line}`}>${name}</a>`;
    })}`;
}

async function filePage({ path = "", line = "1" }) {
  const at = Math.max(1, Number(line) || 1);
  const found = await call("file", { path, line: at });
  return {
    view: html`<p class="kicker">file</p><h1 dir="auto">${path}</h1>
      <p class="about">${opener(found.full, at)}</p>
      ${found.lines.length < found.total ? html`<p class="help">${number(found.lines.length)} of ${plural(found.total, "line")}</p>` : nothing}
      ${scroll(path, html`<table class="code"><tbody>${found.lines.map((text, place) => html`<tr
        class=${found.first + place === at ? "here" : ""}><td class="number">${found.first + place}</td>
        <td dir="auto">${text}</td></tr>`)}</tbody></table>`)}`,
    after: () => document.querySelector(".here")?.scrollIntoView({ block: "center" }),
  };
}

// --- the way between them -----------------------------------------------------------------------

const PAGES = {
  packet: ["Packet", packetPage],
  entries: ["Entries", entriesPage],
  search: ["Search", searchPage],
  sessions: ["Sessions", sessionsPage],
  sources: ["Sources", sourcesPage],
  check: ["Findings", checkPage],
  entry: ["", entryPage, "entries"],
  session: ["", sessionPage, "sessions"],
  file: ["", filePage, "sources"],
};
let shown = 0; // counts pages, so that a late answer does not replace a newer page

// Returns what `job` does; shows why it fails, and then returns nothing.
async function attempt(job) {
  byId("error").textContent = "";
  try {
    return await job();
  } catch (error) {
    byId("error").textContent = error.message;
    return undefined;
  }
}

async function show(message = "") {
  const [name, query] = location.hash.slice(1).split("?", 2);
  const page = PAGES[name] ? name : "packet";
  const [, draw, parent] = PAGES[page];
  shown += 1;
  const mine = shown;
  drawNav(parent ?? page);
  const slow = setTimeout(() => {
    byId("status").textContent = page === "packet" ? "Making packets at many budgets…" : "Working…";
  }, 200);
  document.body.ariaBusy = "true";
  const made = await attempt(() => draw(Object.fromEntries(new URLSearchParams(query ?? ""))));
  clearTimeout(slow);
  if (mine !== shown) return;
  document.body.ariaBusy = "false";
  byId("status").textContent = message;
  if (!made) {
    render(nothing, byId("view"));
    return;
  }
  render(made.view ?? made, byId("view"));
  made.after?.();
  document.title = `${byId("view").querySelector("h1")?.textContent ?? ""} – ctx`;
}

function drawNav(current) {
  const links = Object.entries(PAGES).filter(([, [text]]) => text);
  render(links.map(([name, [text]]) => html`<a href=${address(name)}
    aria-current=${name === current ? "page" : nothing}>${text}</a>`), byId("nav"));
}

addEventListener("hashchange", () => {
  if (location.hash === "#main") return;
  window.scrollTo(0, 0);
  show();
});
show();

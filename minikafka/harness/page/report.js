// The time axis of the page: one Vega view per lane, all showing the same part of the run.
(async () => {
  "use strict";
  const model = JSON.parse(document.getElementById("model").textContent);
  const host = document.getElementById("lanes");
  const tip = document.getElementById("tip");
  const selection = document.getElementById("selection");
  const shown = document.getElementById("shown");
  const thumb = document.querySelector("#overview div");
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const {last, left, right} = model;
  const shortest = model.shortest ?? Math.max(0.05, last / 20000);
  const many = 4000;
  let domain = [0, last];

  function theme() {
    const style = getComputedStyle(document.documentElement);
    return Object.fromEntries(model.colors.map(name => [name, style.getPropertyValue("--" + name).trim()]));
  }

  // Convert the page's columns to Vega's rows.
  for (const lane of model.lanes) {
    if (lane.kind === "series" || Array.isArray(lane.spans)) continue;
    const {r, a, b, k, kinds} = lane.spans;
    lane.spans = r.map((row, i) => ({r: row, a: a[i], b: b[i], c: kinds[k[i]][0], l: kinds[k[i]][1]}));
  }
  function rows(lane) {
    if (lane.kind !== "series") return lane.spans.length > many ? visible(lane) : lane.spans;
    return lane.series.flatMap((one, s) => lane.t.map((t, i) => ({t, v: one.v[i], s, c: one.color})));
  }

  // Of very many spans only the visible ones; spans narrower than a pixel are merged.
  function visible(lane) {
    const pixel = (domain[1] - domain[0]) / Math.max(200, host.clientWidth - left - right);
    const drawn = [], last = [];
    for (const span of lane.spans) {
      if (span.b < domain[0] || span.a > domain[1]) continue;
      const before = last[span.r];
      if (before && span.b - before.a < pixel) {
        before.b = span.b;
        if (before.c !== span.c) before.c = "mixed";
      } else drawn.push(last[span.r] = {...span});
    }
    return drawn;
  }

  const faults = model.faults.filter(fault => fault.done);
  const options = {mode: "vega", renderer: "canvas", actions: false, tooltip: false, hover: false, defaultStyle: false};
  const plots = [...host.querySelectorAll(".plot")];
  const views = await Promise.all(model.lanes.map(async (lane, index) => {
    const {view} = await vegaEmbed(plots[index], lane.spec, options);
    view.data("rows", rows(lane)).data("faults", faults).signal("theme", theme());
    if (lane.kind === "arrows") view.data("messages", lane.messages);
    return {lane, plot: plots[index], view};
  }));

  function each(change) {
    for (const {view, plot, lane} of views) { change(view, plot, lane); view.runAsync(); }
  }

  function seconds(value) {
    const span = domain[1] - domain[0];
    const digits = span < 0.05 ? 5 : span < 0.5 ? 4 : span < 5 ? 2 : 1;
    if (last <= 300) return value.toFixed(digits) + " s";
    const whole = Math.floor(value / 60);
    return whole + ":" + (value - whole * 60).toFixed(digits).padStart(digits + 3, "0");
  }

  function show(from, to) {
    const width = Math.min(last, Math.max(shortest, to - from));
    const begin = Math.min(Math.max(0, from), last - width);
    domain = [begin, begin + width];
    each((view, plot, lane) => {
      view.signal("domain", domain);
      if (lane.kind !== "series" && lane.spans.length > many) view.data("rows", rows(lane));
    });
    shown.textContent = `${seconds(domain[0])} to ${seconds(domain[1])} of ${seconds(last)}`;
    thumb.style.left = 100 * domain[0] / last + "%";
    thumb.style.width = 100 * width / last + "%";
  }
  function zoom(factor, middle = (domain[0] + domain[1]) / 2) {
    const share = (middle - domain[0]) / (domain[1] - domain[0]);
    const width = Math.max(shortest, (domain[1] - domain[0]) * factor);
    show(middle - share * width, middle + (1 - share) * width);
  }
  function pan(share) {
    const by = (domain[1] - domain[0]) * share;
    show(domain[0] + by, domain[1] + by);
  }
  const actions = {
    in: () => zoom(0.5), out: () => zoom(2), left: () => pan(-0.25), right: () => pan(0.25), reset: () => show(0, last),
  };
  const keys = {"+": "in", "=": "in", "-": "out", ArrowLeft: "left", ArrowRight: "right", "0": "reset", Home: "reset", Escape: "reset"};
  document.querySelectorAll("[data-action]").forEach(button =>
    button.addEventListener("click", () => actions[button.dataset.action]()));
  host.addEventListener("keydown", event => {
    if (event.ctrlKey || event.metaKey || event.altKey || !(event.key in keys)) return;
    event.preventDefault();
    actions[keys[event.key]]();
  });
  document.querySelectorAll("[data-at]").forEach(link => link.addEventListener("click", () => {
    const at = Number(link.dataset.at);
    show(at - 2.5, at + 2.5);
  }));

  // The text of a lane at a time.
  function indexAt(times, at) {
    let low = 0, high = times.length;
    while (low < high) { const middle = (low + high) >> 1; if (times[middle] <= at) low = middle + 1; else high = middle; }
    return low - 1;
  }
  const number = new Intl.NumberFormat("en", {maximumFractionDigits: 2});
  function say(lane, at, y) {
    if (lane.kind === "series") {
      const index = indexAt(lane.t, at);
      if (index < 0) return [];
      const values = lane.series.map(one => [one.name, one.v[index]]).filter(([, value]) => value !== null && value !== undefined);
      const few = values.slice(0, 12).map(([name, value]) => `${name}: ${number.format(value)} ${lane.unit === "offset" ? "" : lane.unit}`);
      return values.length > 12 ? [...few, `and ${values.length - 12} more`] : few;
    }
    const message = lane.kind === "arrows" ? nearest(lane, at, y) : null;
    if (message) {
      const kind = message.l + (message.q ? "" : ", the answer");
      const arrival = message.b === null ? "never arrived" : `arrived ${((message.b - message.a) * 1000).toFixed(3)} ms later`;
      return [`${lane.rows[message.r]} to ${lane.rows[message.r2]}: ${kind}`, `sent at ${message.a.toFixed(6)} s, ${arrival}`];
    }
    const row = Math.min(lane.rows.length - 1, Math.max(0, Math.floor(y / lane.height * lane.rows.length)));
    const near = (domain[1] - domain[0]) / 400;
    return lane.spans.filter(span => span.r === row && span.a - near <= at && at <= span.b + near).slice(0, 4)
      .map(span => `${lane.row}${lane.rows[row] ? lane.rows[row] + ": " : ""}${lane.say}${span.l}${span.h ? ": " + span.h : ""} (${seconds(span.a)} to ${seconds(span.b)})`);
  }
  // The message whose arrow is nearest to a point, if one is near.
  function nearest(lane, at, y) {
    const row = lane.height / lane.rows.length, second = plots[0].clientWidth / (domain[1] - domain[0]);
    let found = null, least = 9;
    for (const message of lane.messages) {
      const end = message.b ?? message.a + model.stub / second;
      const share = Math.min(1, Math.max(0, (at - message.a) / Math.max(1e-9, end - message.a)));
      const along = (at - (message.a + share * (end - message.a))) * second;
      const distance = Math.hypot(along, y - (message.r + 0.5 + share * (message.r2 - message.r)) * row);
      if (distance < least) { least = distance; found = message; }
    }
    return found;
  }
  function point(event, plot) {
    const box = plot.getBoundingClientRect();
    const width = box.width - left - right;
    const x = Math.min(width, Math.max(0, event.clientX - box.left - left));
    return {x, width, at: domain[0] + x / width * (domain[1] - domain[0]), y: event.clientY - box.top};
  }
  function hover(event, {lane, plot}) {
    const {at, y} = point(event, plot);
    each(view => view.signal("pointer", at));
    const under = faults.filter(fault => fault.a <= at && at <= fault.b).slice(0, 3).map(fault => `fault: ${fault.l}`);
    const lines = say(lane, at, y - lane.spec.padding.top);
    tip.textContent = [`${lane.title} at ${seconds(at)}`, ...lines, ...(lane.id === "faults" ? [] : under)].join("\n");
    tip.hidden = false;
    const {width, height} = tip.getBoundingClientRect();
    const beside = event.clientX + 16 + width < innerWidth ? event.clientX + 16 : Math.max(4, event.clientX - width - 16);
    tip.style.left = Math.min(beside, Math.max(4, innerWidth - width - 4)) + "px";
    tip.style.top = Math.min(event.clientY + 14, innerHeight - height - 4) + "px";
  }
  function leave() {
    tip.hidden = true;
    each(view => view.signal("pointer", null));
  }

  let drag = null;
  for (const one of views) {
    const {plot} = one;
    plot.addEventListener("pointerdown", event => {
      if (event.button) return;
      const moves = event.shiftKey || event.pointerType === "touch";
      drag = {from: point(event, plot), moves, domain, clientX: event.clientX};
      plot.setPointerCapture(event.pointerId);
    });
    plot.addEventListener("pointermove", event => {
      if (!drag) return hover(event, one);
      const to = point(event, plot);
      if (drag.moves) {
        const by = (drag.clientX - event.clientX) / to.width * (drag.domain[1] - drag.domain[0]);
        show(drag.domain[0] + by, drag.domain[1] + by);
      } else {
        selection.hidden = false;
        selection.style.left = left + Math.min(drag.from.x, to.x) + "px";
        selection.style.width = Math.abs(drag.from.x - to.x) + "px";
      }
    });
    plot.addEventListener("pointerup", event => {
      if (drag && !drag.moves) {
        const to = point(event, plot);
        if (Math.abs(to.x - drag.from.x) > 5) show(Math.min(drag.from.at, to.at), Math.max(drag.from.at, to.at));
      }
      selection.hidden = true;
      drag = null;
    });
    plot.addEventListener("pointercancel", () => { selection.hidden = true; drag = null; });
    plot.addEventListener("pointerleave", leave);
    plot.addEventListener("dblclick", actions.reset);
    plot.addEventListener("wheel", event => {
      if (event.ctrlKey || event.metaKey) zoom(Math.exp(event.deltaY / 200), point(event, plot).at);
      else if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) pan(event.deltaX / 600);
      else return;
      event.preventDefault();
    }, {passive: false});
  }

  const fit = () => each((view, plot) => view.width(Math.max(80, plot.clientWidth - left - right)));
  new ResizeObserver(fit).observe(host);
  dark.addEventListener("change", () => each(view => view.signal("theme", theme())));
  fit();
  show(...(model.view ?? [0, last]));
  window.timeline = {views: views.map(one => one.view), lanes: model.lanes, show, theme, drawn: async () => { await Promise.all(views.map(one => one.view.runAsync())); }};
})();

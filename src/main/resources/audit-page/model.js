// The document (schema weaklink.audit/1) as the parts of the page want it.

const STATES = new Map([
  ['ready', '✓', 'Ready', 'the kernel is installed, and all modules load from its own directories'],
  ['link', 'L', 'Link', 'all modules load once they are linked'],
  ['install', 'I', 'Install', 'all modules would load; the kernel is not installed'],
  ['undetermined', '?', 'Undetermined', 'something decisive could not be checked'],
  ['rebuild', 'R', 'Rebuild', 'some are refused; they can be rebuilt'],
  ['blocked', '✕', 'Blocked', 'some are refused, and nothing is known that builds them'],
].map(([id, sign, word, meaning], rank) => [id, {id, sign, word, meaning, rank}]));

const NOT_JUDGED = {id: 'none', sign: '·', word: 'Not judged', meaning: 'There was nothing to judge.', rank: -1};

for (const set of list('sets')) {
  set.modules = set.modules.map(place => list('modules')[place]);
}

const targets = list('targets');
const targetById = new Map(targets.map(target => [target.id, target]));
const setById = new Map(list('sets').map(set => [set.id, set]));

function stateOf(verdict) {
  return verdict ? STATES.get(verdict.state) || STATES.get('undetermined') : NOT_JUDGED;
}

/** By release, unless two have the same. */
function kernelLabel(id) {
  const {label, release} = targetById.get(id) || {};
  const alone = targets.filter(target => target.release === release).length < 2;
  return release ? alone || label === release ? release : release + ' (' + label + ')' : label || '?';
}

/** What a set is called, with what distinguishes it from others: policy about signatures, kernel, modules. */
function setTitle(set) {
  return set ? modulesTitle(set) + (set.policy ? ' / ' + set.policy : '') + differences.get(set.id) : '?';
}

function grouped(sets, keyOf) {
  const groups = new Map();
  for (const set of sets) {
    const key = keyOf(set);
    if (!groups.has(key)) {
      groups.set(key, []);
    }
    groups.get(key).push(set);
  }
  return [...groups.values()];
}

/** By the id of each set what follows its name: nothing where no other has that name. */
function differencesOfSets() {
  const words = new Map();
  for (const alike of grouped(list('sets'), set => modulesTitle(set) + '\n' + set.policy)) {
    const ofKernels = grouped(alike, set => set.kernel);
    for (const sets of ofKernels) {
      const kernel = ofKernels.length > 1 && sets[0].modules.length > 0 ? ' for ' + sets[0].kernel : '';
      const usual = sets[0];
      for (const same of grouped(sets, set => differentModules(set, usual))) {
        same.forEach(set => words.set(set.id, kernel + differentModules(set, usual)
            + (same.length > 1 && set !== usual ? ' (' + set.digest.slice(0, 8) + ')' : '')));
      }
    }
  }
  return words;
}

/** How a set's modules differ from those of another, by name and build. */
function differentModules(set, other) {
  const build = module => [module.file, module.version, module.srcversion].join(' ');
  const before = new Map(other.modules.map(module => [module.name, build(module)]));
  const now = new Map(set.modules.map(module => [module.name, build(module)]));
  const some = (word, names) => names.length === 0 ? []
      : [word + names.slice(0, 2).join(', ') + (names.length > 2 ? ' and ' + (names.length - 2) + ' more' : '')];
  const words = [
    ...some('with ', [...now.keys()].filter(name => !before.has(name))),
    ...some('without ', [...before.keys()].filter(name => !now.has(name))),
    ...some('other ', [...now.keys()].filter(name => before.has(name) && before.get(name) !== now.get(name))),
  ];
  return words.length > 0 ? ', ' + words.join(', ') : '';
}

function modulesTitle(set) {
  if (set.product) {
    return set.product;
  }
  const names = set.modules.map(module => module.name);
  return names.length === 0 ? 'No modules added'
      : names.slice(0, 3).join(', ') + (names.length > 3 ? ' …' : '');
}

function findings(verdict) {
  return (verdict.modules || []).flatMap(module => module.findings || []);
}

const differences = differencesOfSets();

/** A row of the matrix: a set, its nodes, its verdict for each target, and all of these in a text. */
function matrixRow(set) {
  return {set, groups: [], nodes: 0, verdicts: new Map(), worst: -1, pattern: '', text: null};
}

function matrixRows() {
  const rows = new Map(list('sets').map(set => [set.id, matrixRow(set)]));
  for (const group of list('groups')) {
    const row = rows.get(group.set);
    if (row) {
      row.groups.push(group);
      row.nodes += group.count;
    }
  }
  for (const verdict of list('verdicts')) {
    const row = rows.get(verdict.set);
    if (row) {
      row.verdicts.set(verdict.target, verdict);
      row.worst = Math.max(row.worst, stateOf(verdict).rank);
    }
  }
  for (const row of rows.values()) {
    row.pattern = targets.map(target => stateOf(row.verdicts.get(target.id)).rank + 1).join('');
  }
  return [...rows.values()];
}

const rowsOfSets = matrixRows();
const rowBySet = new Map(rowsOfSets.map(row => [row.set.id, row]));

/** All that can be searched for in a row, in small letters; made when first asked for. */
function rowText(row) {
  if (row.text === null) {
    const words = [row.set.product, row.set.kernel, row.set.digest];
    row.set.modules.forEach(module => words.push(module.name, module.version));
    row.groups.forEach(group => words.push(group.nodes));
    row.verdicts.forEach(verdict => {
      words.push(verdict.reason);
      (verdict.modules || []).forEach(module => words.push(module.module));
      findings(verdict).forEach(finding => words.push(finding.symbol));
    });
    row.text = words.filter(Boolean).join('\n').toLowerCase();
  }
  return row.text;
}

/** What is wrong now: with what is loaded, and with the files of groups. */
function wrongToday() {
  const entries = list('running').map(entry => ({...entry, running: true}));
  for (const finding of (doc.userspace || {}).findings || []) {
    const detail = finding.packages ? finding.detail + '; ' + finding.packages : finding.detail;
    entries.push({...finding, kind: finding.id, kernel: '', libraries: true, detail});
  }
  for (const group of list('groups')) {
    for (const defect of group.defects || []) {
      entries.push({...defect, kernel: group.kernel, nodes: group.nodes, count: group.count});
    }
  }
  return entries;
}

/** Every refused symbol once, with what it keeps from loading; the most sets first. */
function causes() {
  const bySymbol = new Map();
  for (const verdict of list('verdicts')) {
    for (const module of verdict.modules || []) {
      for (const finding of module.findings || []) {
        const key = finding.layer + '\n' + (finding.symbol || '');
        const cause = bySymbol.get(key) || {layer: finding.layer, symbol: finding.symbol || '',
          modules: new Set(), sets: new Set(), kernels: new Set()};
        cause.modules.add(module.module);
        cause.sets.add(verdict.set);
        cause.kernels.add(verdict.target);
        bySymbol.set(key, cause);
      }
    }
  }
  return [...bySymbol.values()].sort((a, b) =>
      b.sets.size - a.sets.size || b.modules.size - a.modules.size || compare(a.symbol, b.symbol));
}

function compare(a, b) {
  return a < b ? -1 : a > b ? 1 : 0;
}

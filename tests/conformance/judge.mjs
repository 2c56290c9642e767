// Holds what a run of the official suite found against the baseline of that run.
//
//   node judge.mjs RUN BASELINE     RUN: a folder with `log` (what the suite printed) and `checks` (its -o)
//                                   BASELINE: a file; absent: everything has to pass
//
// The suite's own verdict passes over what a revision does not score: pending scenarios, extensions, warnings. Here
// everything counts. A baseline names what is expected not to pass, a scenario or one check of it, and why:
//
//   - tasks-lifecycle                                     # whole scenario
//   - server-stateless:sep-2575-missing-capability-http-400   # one check
//
// The reason is the comment on the line or the one above its block. Anything that does not pass and is not named, is
// named and passes, or is named without a reason, fails the run.
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

const [run, baselineFile] = process.argv.slice(2);
const log = readFileSync(join(run, 'log'), 'utf8');

/// Every check of the run by scenario: { scenario: [{ id, status, errorMessage }] }.
function readChecks(folder) {
  const found = {};
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (entry.name !== 'checks.json') continue;
    const place = relative(folder, entry.parentPath);
    const scenario = place.replace(/^server-/, '').replace(/-\d{4}-\d\d-\d\dT[-\dZ]*$/, '');
    found[scenario] = JSON.parse(readFileSync(join(entry.parentPath, entry.name), 'utf8'));
  }
  return found;
}

/// Lines of the baseline: { entry, reason }. The format is a subset of YAML that the suite itself reads.
function readBaseline(file) {
  if (!existsSync(file)) return [];
  const entries = [];
  let above = '';
  for (const line of readFileSync(file, 'utf8').split('\n')) {
    const [, entry, beside] = line.match(/^\s*-\s+(\S+)\s*(?:#\s*(.*))?$/) ?? [];
    if (entry) entries.push({ entry, reason: beside || above });
    else if (/^\s+#/.test(line)) above = line.trim();
    else above = '';
  }
  return entries;
}

const scenarios = [...log.matchAll(/^[✓✗] (\S+): \d+ passed/gm)].map((match) => match[1]);
const unscored = new Set([...log.matchAll(/^ {2}[✓✗] (\S+) \(/gm)].map((match) => match[1]));
if (!/^Total:/m.test(log) || scenarios.length === 0) {
  console.log(`  the suite did not come to its end; ${join(run, 'log')} ends with:`);
  console.log(log.trimEnd().split('\n').slice(-20).map((line) => `    ${line}`).join('\n'));
  process.exit(1);
}

const checks = existsSync(join(run, 'checks')) ? readChecks(join(run, 'checks')) : {};
const count = { SUCCESS: 0, FAILURE: 0, WARNING: 0 };
const wrong = [];  // { scenario, check, why }
const bad = new Set();  // scenarios with something wrong in them
for (const scenario of scenarios) {
  if (!checks[scenario]) wrong.push({ scenario, check: 'no-checks', why: 'the suite left no checks' });
  for (const { id, status, errorMessage } of checks[scenario] ?? []) {
    if (status in count) ++count[status];
    if (status === 'FAILURE' || status === 'WARNING') wrong.push({ scenario, check: id, why: errorMessage ?? status });
    if (status === 'FAILURE') bad.add(scenario);
  }
}

const baseline = readBaseline(baselineFile);
const covers = (entry, { scenario, check }) => entry === scenario || entry === `${scenario}:${check}`;
const complaints = [
  ...wrong.filter((one) => !baseline.some(({ entry }) => covers(entry, one)))
    .map(({ scenario, check, why }) => `does not pass: ${scenario}:${check}  ${why}`),
  ...baseline.filter(({ entry }) => !wrong.some((one) => covers(entry, one)))
    .map(({ entry }) => `passes, but the baseline names it: ${entry}`),
  ...baseline.filter(({ reason }) => !reason).map(({ entry }) => `the baseline does not say why: ${entry}`),
];

const passed = (names) => `${names.filter((name) => !bad.has(name)).length}/${names.length}`;
const scored = scenarios.filter((name) => !unscored.has(name));
console.log(`  ${unscored.size > 0 ? `${passed(scored)} scored, ` : ''}${passed(scenarios)} scenarios, ` +
  `${count.SUCCESS} checks pass, ${count.FAILURE} fail, ${count.WARNING} warn` +
  (baseline.length > 0 ? `; expected by ${baselineFile.slice(dirname(baselineFile).length + 1)}` : ''));
for (const complaint of complaints) console.log(`  ${complaint}`);
process.exit(complaints.length > 0 ? 1 : 0);

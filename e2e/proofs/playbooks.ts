/** Proves that the interpreter runs playbooks as Ansible does. */
import { readArguments } from '#bench'
import { createRandom, shuffle } from '#kit'
import { loadSystem } from '#world/systems'
import { generatedCases, objectsOf } from './playbooks/generated-cases.ts'
import { runHostilePlaybooks } from './playbooks/hostile-playbooks.ts'
import { commandCases } from './playbooks/kubectl-commands.ts'
import { countRecorded } from './playbooks/recorded-playbooks.ts'
import { referenceCases, SYSTEMS } from './playbooks/reference-cases.ts'
import { type ProofResult, runCases } from './playbooks/run-cases.ts'

const { values, flags, isQuick } = readArguments({
  command: 'npm run proof playbooks',
  about:
    'Runs playbooks through Ansible and through the interpreter, on two equal clusters with modelled pods, and compares the results\n' +
    'of the tasks and the objects at the end: the reference fixes of all faults over all targets (one of each structure), commands of\n' +
    'kubectl, plays drawn from a seed, and the hostile corpus. Playbooks that the interpreter does not support are counted, and not\n' +
    'compared. With --records, counts only which playbooks of recorded runs are not supported.',
  options: {
    generated: { about: 'how many plays are drawn', count: 500, quick: 2 },
    commands: {
      about: 'how many commands of kubectl run at most, each in a task of its own',
      count: 1000,
      quick: 1,
    },
    hostile: { about: 'how many playbooks of the hostile corpus run at most', count: 1000, quick: 2 },
    fixes: { about: 'how many reference fixes of each system run at most', count: 10_000, quick: 1 },
    systems: { about: 'how many systems', count: SYSTEMS.length, quick: 1 },
    records: { about: 'a folder with runs or records', value: 'DIR', text: '' },
    seed: { about: 'decides which plays are drawn', value: 'TEXT', text: 'playbooks' },
  },
  flags: { 'every-fix': 'runs every reference fix, not one of each structure' },
})

if (values.records !== '') {
  const { records, playbooks, refused, unsupported } = await countRecorded(values.records)
  const share = ((100 * unsupported.length) / Math.max(1, playbooks)).toFixed(1)
  console.log(
    `${playbooks} playbooks in ${records} records: ${refused} refused, ${unsupported.length} unsupported (${share} %)`,
  )
  for (const reason of unsupported) console.log(`  ${reason}`)
  process.exit(0)
}

const results: ProofResult[] = []

const print = (what: string, result: ProofResult): void => {
  const { cases, tasks, unsupported, differences } = result
  results.push(result)
  console.log(
    `${what}: ${cases} cases, ${tasks} tasks, ${unsupported.length} unsupported, ${differences.length} differences`,
  )
  for (const { case: name, reason } of unsupported) console.log(`  unsupported ${name}: ${reason}`)
  for (const { case: name, real, interpreted } of differences) {
    console.log(`  DIFFERENT ${name}`)
    for (const line of real) console.log(`    Ansible:     ${line.slice(0, 600)}`)
    for (const line of interpreted) console.log(`    interpreter: ${line.slice(0, 600)}`)
  }
}

for (const name of SYSTEMS.slice(0, Number(values.systems))) {
  const { cases, total } = await referenceCases(name, flags.has('every-fix'))
  const chosen = shuffle(cases, createRandom(String(values.seed))).slice(0, Number(values.fixes))
  const { manifests } = await loadSystem(name)
  print(`${name}, ${chosen.length} of ${total} reference fixes`, await runCases(chosen, manifests))
}

const drawn = [
  ['commands of kubectl', commandCases(Number(values.commands))],
  ['generated plays', generatedCases(createRandom(String(values.seed)), Number(values.generated))],
] as const
for (const [what, cases] of drawn) {
  const objects = cases.flatMap(({ name }) => objectsOf(name))
  print(what, await runCases(cases, objects))
}
const hostile = await runHostilePlaybooks(Number(values.hostile))
print(`hostile corpus, ${hostile.refused} refused`, hostile)

const differences = results.reduce((total, result) => total + result.differences.length, 0)
console.log(
  differences === 0 ? 'The interpreter did as Ansible did.' : `NOT PROVEN: ${differences} differences.`,
)
if (isQuick) console.log('Only a few playbooks ran.')
process.exitCode = differences === 0 ? 0 : 1

/** Proves that the interpreter runs playbooks as Ansible does. */

import { readArguments } from '#bench'
import { createRandom, shuffle } from '#kit'
import { loadSystem } from '#world/systems'
import { generatedCases, objectsOf } from './playbooks/generated-cases.ts'
import { commandCases } from './playbooks/kubectl-commands.ts'
import { referenceCases, SYSTEMS } from './playbooks/reference-cases.ts'
import { type ProofResult, runCases } from './playbooks/run-cases.ts'

const { values, isQuick } = readArguments({
  command: 'npm run proof playbooks',
  about:
    'Runs playbooks through Ansible and through the interpreter, on two equal clusters with modelled pods, and compares the results\n' +
    'of the tasks and the objects at the end: the reference fixes of all faults over all targets (one of each structure), and plays\n' +
    'drawn from a seed. Playbooks that the interpreter does not support are counted, and compared in nothing.',
  options: {
    generated: { about: 'how many plays are drawn', count: 500, quick: 2 },
    commands: {
      about: 'how many commands of kubectl run at most, each in a task of its own',
      count: 1000,
      quick: 1,
    },
    fixes: { about: 'how many reference fixes of each system run at most', count: 1000, quick: 1 },
    systems: { about: 'how many systems', count: SYSTEMS.length, quick: 1 },
    seed: { about: 'decides which plays are drawn', value: 'TEXT', text: 'playbooks' },
  },
})

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
  const { cases, total } = await referenceCases(name)
  const chosen = shuffle(cases, createRandom(String(values.seed))).slice(0, Number(values.fixes))
  const { manifests } = await loadSystem(name)
  print(
    `${name}, ${total} reference fixes of ${cases.length} structures`,
    await runCases(chosen, manifests, () => false),
  )
}

const drawn = [
  ['commands of kubectl', commandCases(Number(values.commands))],
  ['generated plays', generatedCases(createRandom(String(values.seed)), Number(values.generated))],
] as const
for (const [what, cases] of drawn) {
  const objects = cases.flatMap(({ name }) => objectsOf(name))
  print(what, await runCases(cases, objects, (object, name) => object.includes(` ${name}/`)))
}

const differences = results.reduce((total, result) => total + result.differences.length, 0)
console.log(
  differences === 0 ? 'The interpreter did as Ansible did.' : `NOT PROVEN: ${differences} differences.`,
)
if (isQuick) console.log('Only a few playbooks ran.')
process.exitCode = differences === 0 ? 0 : 1

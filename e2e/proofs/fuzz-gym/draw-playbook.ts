/** Draws playbooks and shell commands: mutations of hostile and plain ones, strange YAML, and generated templates. */
import type { Random } from '#kit'
import { loadCommands, loadPlaybooks } from '../../hostile/hostile-corpus.ts'
import { KUBECTL_COMMANDS } from '../playbooks/kubectl-commands.ts'
import { generateCases } from '../templates/generate-cases.ts'
import { generateFragments } from '../templates/generate-fragments.ts'
import { drawText, drawValue, mutate, pick } from './draw-value.ts'

const NAMESPACE = 'simple-micro'
const PLACEHOLDERS = {
  SYSTEM: NAMESPACE,
  NODE: 'node1',
  HOST_FILE: '/etc/passwd',
  OTHER_PORT: 1,
  HOST_PID: 1,
  ABSTRACT: 'none',
  REPOSITORY: '/nowhere',
  API_PORT: 6443,
}

const corpus = loadPlaybooks(PLACEHOLDERS)
/** Playbooks that are refused before they run. */
const REFUSED = [...corpus.refused!, ...corpus.broken!].map(({ text }) => text)
const RUNNING = [...corpus.run!, ...corpus.endless!, ...corpus.flood!].map(({ text }) => text)
const COMMANDS = [
  ...['host-commands.yaml', 'cluster-commands.yaml', 'exhausting-commands.yaml'].flatMap((file) =>
    loadCommands(file, PLACEHOLDERS).map(({ run }) => run),
  ),
  ...KUBECTL_COMMANDS.map((command) => command.replaceAll('NS', NAMESPACE)),
]

const toPlaybook = (tasks: readonly object[]): string =>
  JSON.stringify([{ hosts: 'localhost', gather_facts: false, tasks }])

const drawTemplate = (random: Random): string => {
  const generate = pick(random, [generateCases, generateFragments])
  return generate(random, 1)[0]!.text
}

/** Templates that would fill the memory or never end, if nothing limited them. */
const BOMBS = [
  "{{ 'x' * 10000000000 }}",
  '{{ range(10000000000) | list | length }}',
  '{% for a in range(100000) %}{% for b in range(100000) %}{{ a }}{% endfor %}{% endfor %}',
  "{% set ns = namespace(t='x') %}{% for i in range(60) %}{% set ns.t = ns.t ~ ns.t %}{% endfor %}{{ ns.t | length }}",
  '{{ 10 ** 10 ** 8 }}',
  "{{ ('a' * 40) | regex_search('(a+)+$b') }}",
  '{{ [[]] * 1000000000 }}',
  `{{ ${'('.repeat(3000)}1${')'.repeat(3000)} }}`,
  '{{ lookup("sequence", "count=1000000000") }}',
  "{{ 'x' | center(10000000000) }}",
  "{{ '%10000000000d' % 1 }}",
  '{% macro m(n) %}{{ m(n + 1) }}{% endmacro %}{{ m(0) }}',
]

const task = (fields: object): object => ({ name: 'fuzz', ...fields })

const drawTask = (random: Random): object =>
  pick(random, [
    () => task({ debug: { msg: drawTemplate(random) } }),
    () => task({ debug: { msg: pick(random, BOMBS) }, ignore_errors: true }),
    () => task({ debug: { msg: '{{ item }}' }, loop: drawTemplate(random) }),
    () => task({ debug: { msg: 'x' }, when: drawTemplate(random) }),
    () => task({ set_fact: { [drawText(random)]: drawValue(random) } }),
    () => task({ 'kubernetes.core.k8s': { state: 'present', definition: drawValue(random) } }),
    () =>
      task({
        'kubernetes.core.k8s_info': { kind: drawText(random), namespace: NAMESPACE, name: drawText(random) },
      }),
    () => task({ shell: pick(random, COMMANDS) }),
    () => task({ assert: { that: [drawTemplate(random), drawValue(random)] } }),
    () => task({ vars: { a: '{{ b }}', b: '{{ a }}' }, debug: { msg: '{{ a }}' } }),
  ])()

/** A playbook that is refused in most cases. */
export const drawBrokenPlaybook = (random: Random): string =>
  pick(random, [
    () =>
      pick(
        random,
        REFUSED.filter((text) => text.length < 10_000),
      ),
    () => mutate(random, pick(random, REFUSED).slice(0, 2000)),
    () => Array.from({ length: 1 + random.below(6) }, () => drawText(random)).join('\n- '),
    () => JSON.stringify(drawValue(random)),
    () => JSON.stringify([{ hosts: drawValue(random), tasks: drawValue(random) }]),
  ])()

/** A playbook that may run. */
export const drawPlaybook = (random: Random): string =>
  pick(random, [
    () => toPlaybook(Array.from({ length: 1 + random.below(3) }, () => drawTask(random))),
    () => toPlaybook(Array.from({ length: 1 + random.below(3) }, () => drawTask(random))),
    () => pick(random, RUNNING),
    () => pick(random, REFUSED),
    () => mutate(random, pick(random, RUNNING)),
  ])()

export const drawCommand = (random: Random): string => {
  const command = pick(random, COMMANDS)
  return random.next() < 0.5 ? command : mutate(random, command)
}

/** Plays drawn from a seed: modules, keywords and commands as models write them, with mistakes among them. */
import type { Random } from '#kit'
import { KUBECTL_COMMANDS } from './kubectl-commands.ts'
import type { ProofCase } from './proof-case.ts'
import { TEMPLATED_TASKS } from './templated-tasks.ts'

type Draw = (random: Random, namespace: string) => object[]

const pick = <T>(random: Random, values: readonly T[]): T => values[random.below(values.length)]!

/** The objects that every case finds in its namespace. */
export const objectsOf = (namespace: string): object[] => [
  { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
  {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'settings', namespace, labels: { part: 'a' } },
    data: { a: '1', b: '2' },
  },
  {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web', namespace, labels: { app: 'web' } },
    spec: {
      replicas: 1,
      selector: { matchLabels: { app: 'web' } },
      template: {
        metadata: { labels: { app: 'web' } },
        spec: {
          terminationGracePeriodSeconds: 1,
          containers: [
            {
              name: 'main',
              image: 'web:1',
              env: [{ name: 'A', value: '1' }],
              ports: [{ containerPort: 8080 }],
            },
          ],
        },
      },
    },
  },
  {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'web', namespace },
    spec: { selector: { app: 'web' }, ports: [{ port: 80, targetPort: 8080 }] },
  },
]

const container = (fields: object): object => ({
  spec: { template: { spec: { containers: [{ name: 'main', ...fields }] } } },
})

const patched: Draw = (random, namespace) => [
  {
    name: 'patched',
    'kubernetes.core.k8s': {
      state: 'patched',
      api_version: pick(random, ['apps/v1', 'apps/v1', 'v1']),
      kind: 'Deployment',
      namespace,
      name: pick(random, ['web', 'web', 'web', 'missing']),
      definition: pick(random, [
        container({ env: [{ name: pick(random, ['A', 'B']), value: pick(random, ['1', '2']) }] }),
        container({ image: pick(random, ['web:1', 'web:2']) }),
        container({ resources: { limits: { cpu: '500m', memory: '64Mi' } } }),
        container({ nonsense: true }),
        { spec: { replicas: pick<unknown>(random, [1, 2, -1, 'many']) } },
        { metadata: { labels: { tier: 'front' }, annotations: { note: 'x' } } },
        { spec: { selector: { matchLabels: { app: 'other' } } } },
        {},
      ]),
    },
    register: 'r',
  },
]

const present: Draw = (random, namespace) => [
  {
    name: 'present',
    k8s: {
      ...pick(random, [
        {},
        { force: true },
        { apply: true },
        { merge_type: pick<unknown>(random, ['merge', ['strategic-merge'], 'wrong']) },
        { apply: true, server_side_apply: { field_manager: pick(random, ['me', 'you']) } },
      ]),
      definition: {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: pick(random, ['settings', 'settings', 'fresh', 'Not_A_Name']), namespace },
        data: pick<object>(random, [{ a: '1' }, { a: '3', c: '4' }, { b: null }, { d: 5 }]),
      },
    },
    register: 'r',
  },
]

const absent: Draw = (random, namespace) => [
  {
    name: 'absent',
    'kubernetes.core.k8s': {
      state: 'absent',
      ...pick(random, [
        { kind: 'ConfigMap', name: 'settings' },
        { kind: 'ConfigMap', name: 'missing' },
        {
          api_version: 'apps/v1',
          kind: 'Deployment',
          name: 'web',
          delete_options: { propagationPolicy: 'Foreground' },
        },
        { kind: 'Service', name: 'web', wait: true, wait_sleep: 1 },
        { kind: 'Pod', label_selectors: ['app=web'] },
        { kind: 'Nothing', name: 'web' },
        {
          kind: 'ConfigMap',
          name: 'settings',
          delete_options: { gracePeriodSeconds: pick<unknown>(random, [0, 'soon']) },
        },
      ]),
      namespace,
    },
    register: 'r',
  },
]

const info: Draw = (random, namespace) => [
  {
    name: 'info',
    k8s_info: pick<object>(random, [
      { api_version: 'apps/v1', kind: 'Deployment', name: 'web', namespace },
      { kind: 'ConfigMap', namespace, label_selectors: ['part=a'] },
      { kind: 'ConfigMap', namespace, label_selectors: ['part in (b)'] },
      { kind: 'Pod', namespace, field_selectors: ['metadata.name=none'] },
      { kind: 'Nothing', namespace },
      { api_version: 'apps/v1', kind: 'Deployment', name: 'web', namespace, wait: true, wait_sleep: 1 },
      {
        api_version: 'apps/v1',
        kind: 'Deployment',
        name: 'web',
        namespace,
        wait: true,
        wait_sleep: 1,
        wait_condition: { type: 'Available' },
      },
      { kind: 'Pod', namespaces: namespace },
    ]),
    register: 'r',
  },
  { name: 'found', 'ansible.builtin.debug': { msg: '{{ r.api_found }}' }, when: 'r.api_found is defined' },
]

const scale: Draw = (random, namespace) => [
  {
    name: 'scale',
    'kubernetes.core.k8s_scale': {
      api_version: 'apps/v1',
      kind: 'Deployment',
      name: pick(random, ['web', 'web', 'missing']),
      namespace,
      replicas: pick<unknown>(random, [0, 1, 2, 3, '2', 'many']),
      wait_sleep: 1,
      ...pick<object>(random, [{}, { wait: false }, { current_replicas: 1 }, { current_replicas: 7 }]),
    },
    register: 'r',
  },
]

const jsonPatch: Draw = (random, namespace) => [
  {
    name: 'json patch',
    'kubernetes.core.k8s_json_patch': {
      kind: 'ConfigMap',
      name: pick(random, ['settings', 'missing']),
      namespace,
      patch: [
        pick<object>(random, [
          { op: 'replace', path: '/data/a', value: '9' },
          { op: 'add', path: '/data/z', value: '9' },
          { op: 'remove', path: '/data/none' },
          { op: 'test', path: '/data/a', value: 'other' },
        ]),
      ],
    },
    register: 'r',
  },
]

const service: Draw = (random, namespace) => [
  {
    name: 'service',
    k8s_service: {
      name: pick(random, ['web', 'extra']),
      namespace,
      ...pick<object>(random, [
        { ports: [{ port: 80, targetPort: 9090 }], selector: { app: 'web' } },
        { ports: [{ port: 80 }] },
        { state: 'absent' },
        { type: 'Wrong' },
      ]),
    },
    register: 'r',
  },
]

const shell: Draw = (random, namespace) => [
  {
    name: 'shell',
    'ansible.builtin.shell': pick(random, KUBECTL_COMMANDS).replaceAll('NS', namespace),
    register: 'r',
    ...pick<object>(random, [
      {},
      {},
      { changed_when: false },
      { failed_when: false },
      { ignore_errors: true },
    ]),
  },
]

const control: Draw = (random) =>
  pick<object[]>(random, [
    [{ name: 'loop', 'ansible.builtin.debug': { msg: '{{ item }}' }, loop: ['a', 2, { k: 'v' }] }],
    [{ name: 'items', 'ansible.builtin.debug': { msg: '{{ item }}' }, with_items: [['a', 'b'], 'c'] }],
    [{ name: 'skipped', 'ansible.builtin.debug': { msg: 'x' }, when: "word == 'other'" }],
    [{ name: 'undefined', 'ansible.builtin.debug': { msg: '{{ nowhere }}' } }],
    [{ name: 'undefined condition', 'ansible.builtin.debug': { msg: 'x' }, when: 'nowhere == 1' }],
    [
      {
        name: 'assertion',
        'ansible.builtin.assert': { that: ["word == 'w'", 'number == 2'], fail_msg: 'wrong {{ number }}' },
      },
    ],
    [
      // No other case reads these facts: Ansible keeps them for all plays of a process.
      { name: 'fact', 'ansible.builtin.set_fact': { fact: 'changed', flag: 'yes' } },
      { name: 'shown', 'ansible.builtin.debug': { var: 'flag' } },
    ],
    [{ name: 'failure', 'ansible.builtin.fail': { msg: 'as wished' }, ignore_errors: true }],
    [{ name: 'unknown option', 'ansible.builtin.debug': { message: 'x' } }],
    [
      {
        name: 'until',
        'ansible.builtin.command': 'false',
        register: 'r',
        until: 'r.rc == 0',
        retries: 1,
        delay: 0,
        ignore_errors: true,
      },
    ],
    [
      {
        block: [{ name: 'bad', 'ansible.builtin.fail': { msg: 'x' } }],
        rescue: [{ name: 'rescued', 'ansible.builtin.debug': { msg: '{{ ansible_failed_result.msg }}' } }],
        always: [{ name: 'always', 'ansible.builtin.debug': { msg: 'y' } }],
      },
    ],
    [
      { name: 'notify', 'ansible.builtin.command': 'true', notify: 'handler' },
      { name: 'flush', 'ansible.builtin.meta': 'flush_handlers' },
    ],
    [{ name: 'hidden', 'ansible.builtin.debug': { msg: 'secret' }, no_log: true }],
    [{ name: 'waiting', 'ansible.builtin.wait_for': { port: 1, timeout: 1 }, ignore_errors: true }],
  ])

const templated: Draw = (random, namespace) => [...pick(random, TEMPLATED_TASKS)(namespace)]

const DRAWS: readonly Draw[] = [
  patched,
  patched,
  present,
  present,
  absent,
  info,
  scale,
  jsonPatch,
  service,
  shell,
  shell,
  shell,
  control,
  control,
  templated,
  templated,
  templated,
  templated,
]

/** Cases `case-0`, `case-1` ..., each in the namespace of its name. */
export const generatedCases = (random: Random, count: number): ProofCase[] =>
  Array.from({ length: count }, (_, index) => {
    const name = `case-${index}`
    const length = 1 + random.below(4)
    return {
      name,
      vars: { word: 'w', number: 1 },
      handlers: [{ name: 'handler', 'ansible.builtin.debug': { msg: 'handled' } }],
      tasks: Array.from({ length }, () => pick(random, DRAWS)(random, name)).flat(),
    }
  })

/** Tasks with Jinja as models write them: filters, tests, loops and conditions over results. Each is drawn whole. */

const DEPLOYMENT = { api_version: 'apps/v1', kind: 'Deployment', name: 'web' }
const debug = (name: string, msg: unknown, more: object = {}): object => ({
  name,
  'ansible.builtin.debug': { msg },
  ...more,
})
const readWeb = (namespace: string): object => ({
  name: 'read',
  'kubernetes.core.k8s_info': { ...DEPLOYMENT, namespace },
  register: 'web',
})
const CONTAINERS = 'web.resources[0].spec.template.spec.containers'

type Tasks = (namespace: string) => readonly object[]

/** Lists of tasks in the namespace of a case. */
export const TEMPLATED_TASKS: readonly Tasks[] = [
  (namespace) => [
    readWeb(namespace),
    debug('image', `{{ ${CONTAINERS} | map(attribute='image') | list }}`),
    debug('first', `{{ (${CONTAINERS} | first).name | upper }} of {{ web.resources | length }}`),
    debug('found', 'there', { when: 'web.resources | length > 0 and web.resources[0].spec.replicas >= 1' }),
  ],
  (namespace) => [
    readWeb(namespace),
    {
      name: 'patch by a result',
      'kubernetes.core.k8s': {
        state: 'patched',
        ...DEPLOYMENT,
        namespace,
        definition: { spec: { replicas: '{{ web.resources[0].spec.replicas + 1 }}' } },
      },
      register: 'patched',
    },
    debug('result', '{{ patched.result.spec.replicas }} {{ patched is changed }} {{ patched.method }}'),
  ],
  (namespace) => [
    {
      name: 'all maps',
      'kubernetes.core.k8s_info': { kind: 'ConfigMap', namespace },
      register: 'maps',
    },
    debug(
      'map',
      "{{ item.metadata.name }}={{ item.data | default({}) | dictsort | map('join', ':') | join(',') }}",
      {
        loop: "{{ maps.resources | rejectattr('metadata.name', 'equalto', 'kube-root-ca.crt') | list }}",
        loop_control: { label: '{{ item.metadata.name }}' },
      },
    ),
    debug(
      'selected',
      "{{ maps.resources | selectattr('metadata.labels.part', 'defined') | map(attribute='metadata.name') | list }}",
    ),
  ],
  (namespace) => [
    {
      name: 'labels',
      'kubernetes.core.k8s': {
        state: 'patched',
        kind: 'ConfigMap',
        name: 'settings',
        namespace,
        definition: { metadata: { labels: "{{ {'round': number | string} | combine({'word': word}) }}" } },
      },
      register: 'r',
    },
    debug('labels now', '{{ r.result.metadata.labels | to_json }}'),
  ],
  (namespace) => [
    {
      name: 'loop over names',
      'kubernetes.core.k8s': {
        state: 'present',
        definition: {
          apiVersion: 'v1',
          kind: 'ConfigMap',
          metadata: { name: 'looped-{{ item.name }}', namespace },
          data: { value: '{{ item.value | default("none") | string }}' },
        },
      },
      loop: [{ name: 'a', value: 1 }, { name: 'b' }, { name: 'c', value: 'x' }],
      when: 'item.name != "c"',
      register: 'looped',
    },
    debug('looped', "{{ looped.results | map(attribute='changed', default=false) | list }}"),
    debug('skipped', "{{ looped.results | selectattr('skipped', 'defined') | list | length }}"),
  ],
  (namespace) => [
    {
      name: 'kubectl',
      'ansible.builtin.command': `kubectl -n ${namespace} get deployment web -o jsonpath={.spec.replicas}`,
      register: 'count',
      changed_when: false,
    },
    debug('arithmetic', '{{ count.stdout | int * 2 + 1 }} {{ count.stdout_lines }} {{ count.rc == 0 }}'),
    {
      name: 'check',
      'ansible.builtin.assert': {
        that: ['count.stdout | int >= 0', "count.stderr == ''"],
        success_msg: 'fine {{ count.stdout }}',
      },
    },
  ],
  (namespace) => [
    {
      name: 'failing command',
      'ansible.builtin.shell': `kubectl -n ${namespace} get deployment none`,
      register: 'gone',
      failed_when: ['gone.rc != 0', "'NotFound' not in gone.stderr"],
      changed_when: 'gone.rc == 1',
    },
    debug('why', '{{ gone.stderr | regex_replace("^Error from server ", "") | trim }}', {
      when: 'gone is not failed',
    }),
  ],
  (namespace) => [
    {
      name: 'facts',
      'ansible.builtin.set_fact': {
        limits: { cpu: '{{ number * 100 }}m', memory: '{{ 64 * number }}Mi' },
        names: "{{ ['web', word] | union(['web', 'x']) }}",
        flag: '{{ word == "w" }}',
        text: '{{ [1, 2, 3] | sum }}',
      },
    },
    {
      name: 'limits',
      'kubernetes.core.k8s': {
        state: 'patched',
        ...DEPLOYMENT,
        namespace,
        definition: {
          spec: {
            template: { spec: { containers: [{ name: 'main', resources: { limits: '{{ limits }}' } }] } },
          },
        },
      },
      when: ['flag', 'names is defined', 'text | int == 6'],
    },
    debug('names', "{{ names | join('-') }} {{ names | sort(reverse=true) | first }}"),
  ],
  (namespace) => [
    {
      block: [
        { name: 'wrong kind', 'kubernetes.core.k8s_info': { kind: '{{ word }}{{ number }}', namespace } },
        debug('not reached', 'x'),
      ],
      rescue: [
        debug('failed task', '{{ ansible_failed_task.name }}'),
        { name: 'remember', 'ansible.builtin.set_fact': { broken: true } },
      ],
      always: [debug('broken', '{{ broken | default(false) | ternary("yes", "no") }}')],
      when: 'number == 1',
    },
  ],
  (namespace) => [
    {
      name: 'until ready',
      'kubernetes.core.k8s_info': { ...DEPLOYMENT, namespace },
      register: 'state',
      until: 'state.resources[0].status.readyReplicas | default(0) >= 1',
      retries: 3,
      delay: 1,
    },
    debug(
      'ready',
      "{{ state.resources[0].status.conditions | selectattr('type', 'eq', 'Available') | map(attribute='status') | first }}",
    ),
  ],
  (_namespace) => [
    debug('undefined filter', '{{ word | no_such_filter }}', { ignore_errors: true }),
    debug('undefined attribute', '{{ number.nothing.at.all }}', { ignore_errors: true }),
    debug('default', '{{ number.nothing | default("d") }} {{ nowhere | default("") | default("e", true) }}'),
    debug('division', '{{ 1 / (number - 1) }}', { ignore_errors: true }),
  ],
  (_namespace) => [
    debug('nested', '{{ outer }}', {
      vars: { outer: '{{ inner }}-{{ number + 1 }}', inner: '{{ word * 2 }}' },
    }),
    debug('range', '{{ item }}', { loop: '{{ range(1, 4) | list }}' }),
    debug('pairs', '{{ item.0 }}{{ item.1 }}', { loop: "{{ ['a', 'b'] | product([1, 2]) | list }}" }),
    debug('dict', '{{ item.key }}={{ item.value }}', { loop: "{{ {'x': 1, 'y': [2]} | dict2items }}" }),
  ],
  (namespace) => [
    {
      name: 'definition as text',
      'kubernetes.core.k8s': {
        state: 'present',
        namespace,
        definition:
          'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: "text-{{ word }}"\ndata:\n{% for n in range(2) %}\n  key{{ n }}: "{{ n * number }}"\n{% endfor %}\n',
      },
      register: 'r',
    },
    debug('keys', '{{ r.result.data | dict2items | map(attribute="key") | sort | list }}'),
  ],
  (_namespace) => [
    debug('skipped by a list', 'x', { when: ['number == 1', "word is match('z')"] }),
    debug('not', 'x', { when: 'not (number is even) and word in ["w", "x"]' }),
    debug('text as condition', 'x', { when: 'word', ignore_errors: true }),
    debug('quoted', '{{ "it" ~ "\'s" }} {{ \'{{ x }}\' }}', { ignore_errors: true }),
    { name: 'patience', 'ansible.builtin.pause': { seconds: '{{ number }}' } },
  ],
  (namespace) => [
    {
      name: 'scale by loop',
      'kubernetes.core.k8s_scale': {
        ...DEPLOYMENT,
        namespace,
        replicas: '{{ item }}',
        wait: true,
        wait_sleep: 1,
      },
      loop: [2, 1],
      register: 'scaled',
    },
    debug(
      'scaled',
      "{{ scaled.results | map(attribute='result.spec.replicas') | list }} {{ scaled is changed }}",
    ),
  ],
  (namespace) => [
    {
      name: 'handlers',
      'kubernetes.core.k8s': {
        state: 'patched',
        kind: 'ConfigMap',
        name: 'settings',
        namespace,
        definition: { data: { a: '{{ number }}' } },
      },
      notify: 'handler',
    },
    { name: 'flush', 'ansible.builtin.meta': 'flush_handlers' },
    debug('hash', "{{ 'text' | hash('sha1') }} {{ 'text' | b64encode }} {{ 'dGV4dA==' | b64decode }}"),
  ],
  (namespace) => [
    { name: 'maps', 'kubernetes.core.k8s_info': { kind: 'ConfigMap', namespace }, register: 'maps' },
    debug('query', "{{ maps | json_query('resources[].metadata.name') }}", { ignore_errors: true }),
  ],
  (_namespace) => [
    debug('type of a number', '{{ number | type_debug }}'),
    debug('type', '{{ word | type_debug }}'),
  ],
  (_namespace) => [debug('lookup', "{{ lookup('env', 'NO_SUCH_VARIABLE') | length }}")],
]

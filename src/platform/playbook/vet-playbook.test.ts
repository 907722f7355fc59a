/** Tests of rejected and allowed playbooks. */
import { describe, expect, it } from 'vitest'
import { DEFAULT_POLICY } from './playbook-policy.ts'
import { vetPlaybook } from './vet-playbook.ts'

const indent = (text: string, prefix: string): string => text.replaceAll(/^(?=.)/gm, prefix)
const playWithTasks = (text: string): string =>
  `- hosts: localhost\n  tasks:\n${indent(text.trim(), '    ')}\n`
const vet = (text: string) => vetPlaybook(text, { namespace: 'shop' })
const reasonsOf = (text: string): string => {
  const { isRefused, findings } = vet(text)
  return isRefused ? findings.join('\n') : `not rejected: ${findings.join('\n')}`
}

describe('an allowed playbook', () => {
  it('is accepted, and its accesses are listed', () => {
    const vetting = vet(
      playWithTasks(`
- name: patch
  kubernetes.core.k8s:
    state: patched
    api_version: apps/v1
    kind: Deployment
    namespace: shop
    name: cart
    definition: {spec: {replicas: 2}}
- k8s:
    definition: |
      apiVersion: v1
      kind: Service
      metadata: {name: cart, namespace: shop}
- shell: kubectl -n shop rollout restart deploy/cart && kubectl get pods -A | grep cart
- command: {argv: [kubectl, delete, pod, cart-1, --namespace=shop]}
- k8s: {state: present, kind: Deployment, namespace: "{{ ns }}", name: "{{ item }}"}
  loop: [a, b]
  when: x is defined
- k8s_info: {kind: Pod, namespace: shop}
  register: pods
  until: pods.resources | length > 0
- command: kubectl uncordon node1
  delegate_to: localhost
- k8s: state=absent kind=NetworkPolicy name=deny namespace=shop`),
    )
    expect(vetting.findings).toEqual([])
    expect(vetting.isRefused).toBe(false)
    expect(vetting.modules).toEqual([
      ...[
        'kubernetes.core.k8s',
        'ansible.builtin.shell',
        'ansible.builtin.command',
        'kubernetes.core.k8s_info',
      ],
    ])
    expect(
      vetting.touches.map(({ action, kind, namespace, name }) => `${action} ${kind} ${namespace}/${name}`),
    ).toEqual([
      ...[
        'change Deployment shop/cart',
        'change Service shop/cart',
        'change Deployment shop/cart',
        'read Pod */*',
      ],
      ...[
        'delete Pod shop/cart-1',
        'change Deployment unknown/unknown',
        'read Pod shop/*',
        'change Node undefined/node1',
      ],
      'delete NetworkPolicy shop/deny',
    ])
  })

  const findingsAndTouches = (command: string): string[] => {
    const { findings, touches } = vet(playWithTasks(`- shell: ${JSON.stringify(command)}`))
    return [
      ...findings,
      ...touches.map(({ action, kind, namespace, name }) => `${action} ${kind} ${namespace}/${name}`),
    ]
  }

  it.each([
    ['kubectl exec -n shop cart-0 -- tail -n 20 /var/log/app.log', 'change Pod shop/cart-0'],
    ['kubectl exec -n shop -it "cart-0" -c \'app\' -- grep -n A -A 3 /f', 'change Pod shop/cart-0'],
    ['kubectl exec -n shop deploy/cart -- cat /namespace/x', 'change Deployment shop/cart'],
    ['kubectl exec -n shop cart-0 -- kubectl delete ns shop', 'change Pod shop/cart-0'],
    ['kubectl create job -n shop look --image=busybox -- ls -n /tmp', 'change Job shop/look'],
  ])('may run a command with flags in a pod: %s', (command, expected) => {
    expect(findingsAndTouches(command)).toEqual([expected])
  })

  it.each([
    ['kubectl rollout restart -n {{ namespace }} deployment/cart', 'change Deployment unknown/cart'],
    ['kubectl rollout restart -n "{{ ns }}" deployment/{{ item.name }}', 'change Deployment unknown/unknown'],
    ["kubectl rollout restart -n {{ ns | default('shop') }} deploy/cart", 'change unknown unknown/unknown'],
    ["kubectl scale deploy/cart -n {{ x['a-b'][0] }} --replicas={{ n }}", 'change Deployment unknown/cart'],
    ['kubectl delete pod {{ pod }} -n shop', 'delete Pod shop/unknown'],
  ])('may contain expressions with spaces: %s', (command, expected) => {
    expect(findingsAndTouches(command)).toEqual([expected])
  })

  it('may use the host names of MicroRemed', () => {
    for (const hosts of ['all', 'localhost', 'k3s_control_plane', '127.0.0.1', '[localhost]'])
      expect(
        vet(`- hosts: ${hosts}\n  connection: local\n  gather_facts: no\n  tasks: [{debug: {msg: x}}]`)
          .findings,
      ).toEqual([])
  })

  it('is accepted with a warning if it has no tasks', () => {
    expect(vet('- hosts: all')).toMatchObject({
      isRefused: false,
      findings: ['The playbook has no tasks, so it does nothing.'],
    })
  })

  it('may use become if the policy ignores it', () => {
    const text = '- hosts: all\n  become: yes\n  tasks: [{debug: {}}]'
    expect(reasonsOf(text)).toContain('it uses "become"')
    const policy = { ...DEFAULT_POLICY, become: 'ignore' as const }
    expect(vetPlaybook(text, { namespace: 'shop', policy }).isRefused).toBe(false)
  })
})

describe('a playbook is rejected', () => {
  it.each([
    [
      'deletes a namespace',
      '- k8s: {state: absent, kind: Namespace, name: shop}',
      'a Namespace must not be deleted',
    ],
    ['deletes a namespace with kubectl', '- shell: kubectl delete ns shop', 'deletes Namespace shop'],
    [
      'deletes a namespace by its quoted plural name',
      `- command: kubectl delete "namespaces" kube-system --wait=false`,
      'Namespace kube-system',
    ],
    [
      'deletes a namespace among other objects',
      '- shell: kubectl get po; kubectl delete deploy,ns --all -n shop',
      'deletes Namespace',
    ],
    [
      'deletes a claim',
      '- raw: kubectl -n shop delete pvc/data',
      'a PersistentVolumeClaim must not be deleted',
    ],
    [
      'deletes a namespace whose definition is text with many aliases',
      `- k8s: {state: absent, definition: "kind: &k Namespace\\nmetadata: {name: x}\\nx: [${'*k,'.repeat(30)}1]"}`,
      'a Namespace must not be deleted',
    ],
    [
      'deletes a custom resource definition',
      '- k8s: {state: absent, definition: {kind: CustomResourceDefinition, metadata: {name: x}}}',
      'must not be deleted',
    ],
    [
      'changes another namespace',
      '- k8s: {kind: ConfigMap, namespace: kube-system, name: x}',
      'only objects of the namespace shop',
    ],
    [
      'changes another namespace with kubectl',
      '- shell: kubectl -n kube-system scale deploy/coredns --replicas=0',
      'only objects of the namespace shop',
    ],
    ['changes all namespaces', '- shell: kubectl delete pods --all -A', 'only objects of the namespace shop'],
    [
      'grants itself permissions',
      '- k8s: {definition: {kind: ClusterRoleBinding, metadata: {name: me}}}',
      'cluster-wide objects must not be changed',
    ],
    [
      'mentions chaos',
      '- k8s: {state: absent, api_version: chaos-mesh.org/v1alpha1, kind: PodChaos, name: x}',
      'is not part of the system',
    ],
    [
      'mentions chaos in a kubectl command',
      '- shell: kubectl delete networkchaos --all',
      'is not part of the system',
    ],
    [
      'uses a module that is not allowed',
      '- apt: {name: nmap}',
      'the module ansible.builtin.apt, which is not allowed',
    ],
    [
      'uses a collection that is not allowed',
      '- community.docker.docker_container: {}',
      'community.docker.docker_container',
    ],
    ['includes tasks', '- include_tasks: /etc/x.yml', 'includes another file'],
    ['includes variables', '- include_vars: /etc/x.yml', 'includes another file'],
    [
      'delegates a task to another host',
      '- debug: {}\n  delegate_to: 10.0.0.1',
      'only localhost is available',
    ],
    ['becomes root', '- debug: {}\n  become: "yes"', 'it uses "become"'],
    ['becomes root in a block', '- block: [{debug: {}}]\n  become: true', 'it uses "become"'],
    ['connects to another host', '- debug: {}\n  connection: ssh', 'only "local" is available'],
    [
      'sets the connection with a variable',
      '- debug: {}\n  vars: {ansible_connection: docker}',
      'it sets ansible_connection',
    ],
    ['sets a connection variable as a fact', '- set_fact: {ansible_host: 1.2.3.4}', 'it sets ansible_host'],
    ['reads files', `- debug: {msg: "{{ lookup('file', '/etc/passwd') }}"}`, 'the lookup plugin "file"'],
    [
      'runs a program with a lookup',
      `- debug: {msg: "{{ lookup('ansible.builtin.pipe', 'id') }}"}`,
      '"ansible.builtin.pipe"',
    ],
    ['runs a program with a loop', '- debug: {}\n  with_pipe: [id]', 'it loops with with_pipe'],
    ['runs a program in a condition', `- debug: {}\n  when: lookup('pipe', 'id') == 'x'`, '"pipe"'],
    [
      'hides the name of a lookup plugin',
      `- debug: {msg: "{{ query(p, 'x') }}"}`,
      'a lookup whose plugin is not a literal name',
    ],
    [
      'accesses Python internals',
      `- debug: {msg: "{{ ''.__class__.__mro__ }}"}`,
      'accesses Python internals',
    ],
    [
      'accesses Python internals with a filter',
      `- debug: {msg: "{{ ''|attr('x') }}"}`,
      'accesses Python internals',
    ],
    ['has two modules', '- debug: {}\n  shell: id', 'has several modules'],
    ['has no module', '- name: nothing', 'has no module'],
    ['uses the debugger', '- debug: {}\n  debugger: always', 'debugger'],
  ])('that %s', (_, text, expected) => {
    expect(reasonsOf(playWithTasks(text))).toContain(expected)
  })

  it.each([
    ['another command after a command in a pod', 'kubectl exec -n shop x -- true; kubectl delete ns shop'],
    [
      'a command that runs if the one in the pod succeeds',
      'kubectl exec -n shop x -- true && kubectl delete ns shop',
    ],
    ['a command at the end of a pipe', 'kubectl exec -n shop x -- echo shop | xargs kubectl delete ns'],
    ['a command substitution', 'kubectl exec -n shop x -- echo $(kubectl delete ns shop)'],
    ['a command substitution in backticks', 'kubectl exec -n shop x -- echo `kubectl delete ns shop`'],
    ['names after dashes', 'kubectl delete -- ns shop'],
    ['dashes in quotes', 'kubectl exec x --as "a -- b" -n kube-system -- sh'],
    ['dashes as a value', 'kubectl exec x --as -- -n kube-system -- sh'],
    ['an expression before its verb', 'kubectl -n {{ shop }} delete ns shop'],
    ['an expression among its names', 'kubectl delete ns {{ name }}'],
    ['a command in an expression', `kubectl get pods {{ '; kubectl delete ns shop' }}`],
    [
      'a second command after a separator in an expression',
      `kubectl get pods {{ '; ' }} kubectl delete ns shop`,
    ],
    ['kubectl from an expression', `{{ 'kubectl' }} -n kube-system scale deploy/x --replicas=0`],
    ['a flag from an expression', `kubectl delete pods --all {{ '-A' }}`],
    ['an object from an expression', `kubectl delete pod/a {{ 'ns/shop' }}`],
  ])('whose shell command has %s', (_, command) => {
    expect(reasonsOf(playWithTasks(`- shell: ${JSON.stringify(command)}`))).toMatch(/it (deletes|changes) /)
  })

  it.each([
    ['other hosts', '- hosts: db1\n  tasks: []', 'it has the hosts "db1": write "hosts: localhost"'],
    ['hosts from an expression', '- hosts: "{{ x }}"\n  tasks: []', 'write "hosts: localhost"'],
    ['no hosts', '- tasks: []', 'has no hosts'],
    ['roles', '- hosts: all\n  roles: [x]', 'uses roles'],
    ['variable files', '- hosts: all\n  vars_files: [/etc/x]', 'uses vars_files'],
    ['prompts', '- hosts: all\n  vars_prompt: [{name: x}]', 'requires interactive input'],
    ['another playbook', '- import_playbook: x.yml', 'imports another playbook'],
    ['a strategy', '- hosts: all\n  strategy: debug', 'the strategy "debug"'],
    [
      'a collection',
      '- hosts: all\n  collections: [community.general]',
      'the collection "community.general"',
    ],
    ['a variable that reads a file', `- hosts: all\n  vars: {x: "{{ lookup('url', 'http://x') }}"}`, '"url"'],
  ])('whose play has %s', (_, text, expected) => {
    expect(reasonsOf(text)).toContain(expected)
  })
})

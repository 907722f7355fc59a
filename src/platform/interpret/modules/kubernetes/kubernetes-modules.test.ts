/** Tests the Kubernetes modules on a simulated cluster. The expectations follow kubernetes.core 2.4. */
import { describe, expect, it } from 'vitest'
import type { ApiObject } from '#spec'
import {
  createInterpretedCluster,
  DEPLOYMENTS,
  type InterpretedCluster,
  outcomesOf,
  WEB,
} from '../../testing/interpreted-cluster.ts'

const withWeb = async (
  choices: Parameters<typeof createInterpretedCluster>[0] = {},
): Promise<InterpretedCluster> => {
  const cluster = createInterpretedCluster(choices)
  await cluster.run(() => cluster.api.create(DEPLOYMENTS, WEB))
  cluster.clock.advance(20_000)
  return cluster
}

const webOf = ({ api }: InterpretedCluster): Promise<ApiObject & { spec: any; status: any }> =>
  api.get({ ...DEPLOYMENTS, name: 'web' }) as never

const PODS = { apiVersion: 'v1', plural: 'pods', namespace: 'default' }

describe('k8s', () => {
  it('patches with a strategic merge, and reports no change if nothing differs', async () => {
    const cluster = await withWeb()
    const task = `
- name: patch
  kubernetes.core.k8s:
    state: patched
    api_version: apps/v1
    kind: Deployment
    namespace: default
    name: web
    definition: {spec: {template: {spec: {containers: [{name: main, env: [{name: B, value: "2"}]}]}}}}
  register: r
- debug: {msg: "{{ r.method }} {{ r.changed }} {{ r.result.kind }}"}
`
    const first = await cluster.play(task)
    expect(outcomesOf(first)).toEqual(['changed: patch', 'ok: debug'])
    expect(first.tasks[1]!.message).toBe('update true Deployment')
    expect((await webOf(cluster)).spec.template.spec.containers[0].env).toEqual([
      { name: 'B', value: '2' },
      { name: 'A', value: '1' },
    ])
    expect(outcomesOf(await cluster.play(task))).toEqual(['ok: patch', 'ok: debug'])
  })

  it('creates nothing in the state patched', async () => {
    const { play } = createInterpretedCluster()
    const report = await play(
      '- k8s: {state: patched, kind: ConfigMap, name: a, namespace: default, definition: {data: {a: b}}}\n',
    )
    expect(outcomesOf(report)).toEqual(['ok: k8s'])
    expect(report.output.replaceAll('\n', ' ')).toContain(
      "[WARNING]: resource 'kind=ConfigMap,name=a' was not found but will not be created as 'state' parameter has been set to 'patched'",
    )
  })

  it('creates objects from maps, lists and strings', async () => {
    const { play, api } = createInterpretedCluster()
    const report = await play(`
- k8s:
    namespace: default
    definition:
      - {apiVersion: v1, kind: ConfigMap, metadata: {name: a}}
      - |
        apiVersion: v1
        kind: ConfigMap
        metadata: {name: b}
        data: {on: "yes"}
        ---
        apiVersion: v1
        kind: ConfigMap
        metadata: {name: c}
  register: r
- debug: {var: r.result.results}
- k8s: {definition: {apiVersion: v1, kind: ConfigMap, metadata: {generateName: d-, namespace: default}}}
`)
    expect(outcomesOf(report)).toEqual(['changed: k8s', 'ok: debug', 'changed: k8s'])
    const { items } = await api.list({ apiVersion: 'v1', plural: 'configmaps', namespace: 'default' })
    const names = items.map(({ metadata }) => metadata.name).filter((name) => name !== 'kube-root-ca.crt')
    expect(names).toEqual(['a', 'b', 'c', expect.stringMatching(/^d-[a-z0-9]{5}$/)])
    expect(items.find(({ metadata }) => metadata.name === 'b')).toMatchObject({ data: { true: 'yes' } })
  })

  it('replaces, applies, and applies on the server', async () => {
    const { play, api } = createInterpretedCluster()
    const report = await play(`
- k8s: {apply: true, definition: {apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: default}, data: {x: "1", y: "2"}}}
- k8s: {apply: true, definition: {apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: default}, data: {x: "1", y: "2"}}}
- k8s: {apply: true, definition: {apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: default}, data: {y: "3"}}}
- k8s: {force: true, definition: {apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: default}, data: {z: "4"}}}
- k8s:
    apply: true
    server_side_apply: {field_manager: me}
    definition: {apiVersion: v1, kind: ConfigMap, metadata: {name: s, namespace: default}, data: {x: "1"}}
- k8s:
    apply: true
    server_side_apply: {field_manager: other}
    definition: {apiVersion: v1, kind: ConfigMap, metadata: {name: s, namespace: default}, data: {x: "2"}}
`)
    expect(outcomesOf(report).map((text) => text.split(':')[0])).toEqual([
      ...['changed', 'ok', 'changed', 'changed', 'changed', 'failed'],
    ])
    expect(report.tasks.at(-1)!.message).toMatch(
      /^Failed to apply object: b'\{"kind":"Status".*Apply failed with 1 conflict: conflict with \\\\"me\\\\": \.data\.x.*\}\\n'\nConflict$/,
    )
    const config = await api.get({ apiVersion: 'v1', plural: 'configmaps', namespace: 'default', name: 'a' })
    expect(config.data).toEqual({ z: '4' })
  })

  it('waits until a Deployment is available, and fails after the timeout', async () => {
    const cluster = createInterpretedCluster()
    const start = cluster.clock.now()
    const definition = JSON.stringify(WEB)
    const ready = await cluster.play(
      `- k8s: {wait: true, wait_sleep: 1, definition: ${definition}}\n  register: r\n- debug: {msg: "{{ r.result.status.availableReplicas }}"}\n`,
    )
    expect(ready.tasks.at(-1)!.message).toBe('1')
    expect(cluster.clock.now() - start).toBeLessThan(10_000)
    const late = await cluster.play(
      `- k8s: {wait: true, wait_timeout: 4, wait_sleep: 2, definition: ${JSON.stringify({ ...WEB, spec: { ...WEB.spec, template: { ...WEB.spec.template, spec: { ...WEB.spec.template.spec, nodeSelector: { disk: 'nowhere' } } } } })}}\n`,
    )
    expect(late.tasks[0]).toMatchObject({
      outcome: 'failed',
      message: '"Deployment" "web": Timed out waiting on resource',
    })
  })

  it('deletes by name and by label, and waits for the end', async () => {
    const cluster = await withWeb()
    const report = await cluster.play(`
- k8s: {state: absent, api_version: apps/v1, kind: Deployment, name: web, namespace: default, wait: true, wait_sleep: 1}
  register: r
- debug: {msg: "{{ r.method }} {{ r.changed }}"}
- k8s: {state: absent, api_version: apps/v1, kind: Deployment, name: web, namespace: default}
- k8s: {state: absent, kind: Pod, namespace: default, label_selectors: [app=web]}
`)
    expect(outcomesOf(report)[0]).toBe('changed: k8s')
    expect(report.tasks[1]!.message).toBe('delete true')
    expect(report.tasks[2]!.outcome).toBe('ok')
    await expect(webOf(cluster)).rejects.toMatchObject({ code: 404 })
  })

  it.each([
    [
      'an unknown option',
      '{nonsense: 1}',
      /^Unsupported parameters for \(k8s\) module: nonsense\. Supported parameters include: api_key, api_version, append_hash, apply, .* \(api, cert_file, definition, inline, key_file, ssl_ca_cert, verify_ssl, version\)\.$/,
    ],
    [
      'a wrong state',
      '{state: gone}',
      /^value of state must be one of: present, absent, patched, got: gone$/,
    ],
    [
      'options that exclude each other',
      '{name: a, generate_name: b}',
      /^parameters are mutually exclusive: name\|generate_name$/,
    ],
    [
      'a missing option',
      '{apply: true, server_side_apply: {}}',
      /^missing required arguments: field_manager found in server_side_apply$/,
    ],
    [
      'an unknown kind',
      '{kind: Nothing, name: a}',
      /^Failed to find exact match for v1\.Nothing by \[kind, name, singularName, shortNames\]$/,
    ],
    [
      'no namespace',
      '{kind: ConfigMap, name: a}',
      /^Failed to create object: Namespace is required for v1\.ConfigMap$/,
    ],
    [
      'a missing namespace',
      '{kind: ConfigMap, name: a, namespace: nowhere}',
      /^Failed to create object: b'\{"kind":"Status","apiVersion":"v1","metadata":\{\},"status":"Failure","message":"namespaces \\\\"nowhere\\\\" not found".*\\n'\nNot Found$/,
    ],
  ])('fails with the message of Ansible: %s', async (_, args, message) => {
    const { play } = createInterpretedCluster()
    const { tasks } = await play(`- k8s: ${args}\n`)
    expect(tasks).toMatchObject([{ outcome: 'failed', message: expect.stringMatching(message) }])
  })

  it('finds kinds in any group by the version v1, and by plural and short names', async () => {
    const cluster = await withWeb()
    const report = await cluster.play(`
- k8s_info: {kind: Deployment, name: web, namespace: default}
  register: a
- k8s_info: {kind: deploy, api_version: apps/v1, name: web, namespace: default}
  register: b
- k8s_info: {kind: pods, namespace: default, label_selectors: [app=web]}
  register: c
- debug: {msg: "{{ a.api_found }} {{ b.api_found }} {{ c.resources.0.kind }}"}
`)
    expect(report.tasks.at(-1)!.message).toBe('true true Pod')
  })

  it('changes nothing in check mode', async () => {
    const cluster = await withWeb()
    const report = await cluster.play(
      '- k8s_scale: {api_version: apps/v1, kind: Deployment, name: web, namespace: default, replicas: 3}\n  check_mode: true\n- k8s: {state: absent, api_version: apps/v1, kind: Deployment, name: web, namespace: default}\n  check_mode: true\n',
    )
    expect(outcomesOf(report)).toEqual(['changed: k8s_scale', 'changed: k8s'])
    expect((await webOf(cluster)).spec.replicas).toBe(1)
  })

  it('takes defaults from module_defaults', async () => {
    const cluster = await withWeb()
    const report = await cluster.play(`- hosts: all
  module_defaults:
    group/k8s: {namespace: default}
    kubernetes.core.k8s_scale: {api_version: apps/v1, kind: Deployment}
  tasks:
    - k8s_scale: {name: web, replicas: 2, wait_sleep: 1}
`)
    expect(outcomesOf(report)).toEqual(['changed: k8s_scale'])
  })
})

describe('k8s_scale', () => {
  it('waits until the replicas are available', async () => {
    const cluster = await withWeb()
    const report = await cluster.play(
      '- k8s_scale: {api_version: apps/v1, kind: Deployment, name: web, namespace: default, replicas: 3, wait_sleep: 1}\n  register: r\n- debug: {msg: "{{ r.result.status.availableReplicas }}"}\n- k8s_scale: {api_version: apps/v1, kind: Deployment, name: web, namespace: default, replicas: 3}\n',
    )
    expect(outcomesOf(report)).toEqual(['changed: k8s_scale', 'ok: debug', 'ok: k8s_scale'])
    expect(report.tasks[1]!.message).toBe('3')
  })

  it('crashes if the replicas are late, as the module does', async () => {
    const cluster = await withWeb()
    await cluster.run(() =>
      cluster.api.patch({ apiVersion: 'v1', plural: 'nodes', name: 'node1' }, 'merge', {
        spec: { unschedulable: true },
      }),
    )
    await cluster.run(() =>
      cluster.api.patch({ apiVersion: 'v1', plural: 'nodes', name: 'node2' }, 'merge', {
        spec: { unschedulable: true },
      }),
    )
    const { tasks } = await cluster.play(
      '- k8s_scale: {api_version: apps/v1, kind: Deployment, name: web, namespace: default, replicas: 2, wait_timeout: 3, wait_sleep: 1}\n',
    )
    expect(tasks[0]).toMatchObject({ outcome: 'failed', message: expect.stringContaining('MODULE FAILURE') })
    expect(tasks[0]!.message).toContain(
      "ResourceTimeout.__init__() got an unexpected keyword argument 'duration'",
    )
  })

  it('reports a missing object', async () => {
    const { play } = createInterpretedCluster()
    const { tasks } = await play(
      '- k8s_scale: {api_version: apps/v1, kind: Deployment, name: web, namespace: default, replicas: 2}\n',
    )
    expect(tasks[0]!.message).toMatch(
      /^Failed to retrieve requested object: b'.*deployments\.apps \\\\"web\\\\" not found/,
    )
  })
})

describe('k8s_json_patch and k8s_rollback', () => {
  it('patches, and returns to the previous revision', async () => {
    const cluster = await withWeb()
    const patched = await cluster.play(`
- kubernetes.core.k8s_json_patch:
    api_version: apps/v1
    kind: Deployment
    name: web
    namespace: default
    patch: [{op: replace, path: /spec/template/spec/containers/0/image, value: "web:2"}]
    wait: true
    wait_sleep: 1
`)
    expect(outcomesOf(patched)).toEqual(['changed: kubernetes.core.k8s_json_patch'])
    const rolledBack = await cluster.play(
      '- kubernetes.core.k8s_rollback: {api_version: apps/v1, kind: Deployment, name: web, namespace: default}\n',
    )
    expect(outcomesOf(rolledBack)).toEqual(['changed: kubernetes.core.k8s_rollback'])
    expect((await webOf(cluster)).spec.template.spec.containers[0].image).toBe('web:1')
  })
})

describe('k8s_exec and k8s_log', () => {
  it('runs a command in the first container, and fails with its exit code', async () => {
    const cluster = await withWeb({
      programs: {
        'sh -c echo hi': { exitCode: 0, stdout: 'hi\n' },
        'false x': { exitCode: 3, stderr: 'no\n' },
      },
    })
    const { items } = await cluster.api.list(PODS)
    const pod = items[0]!.metadata.name
    const report = await cluster.play(`
- kubernetes.core.k8s_exec: {namespace: default, pod: ${pod}, command: sh -c 'echo hi'}
  register: r
- debug: {msg: "{{ r.stdout_lines }} {{ r.rc }}"}
- kubernetes.core.k8s_log: {namespace: default, name: ${pod}}
  register: l
- debug: {msg: "{{ l.log_lines }}"}
- kubernetes.core.k8s_exec: {namespace: default, pod: ${pod}, command: "false x"}
`)
    expect(outcomesOf(report).map((text) => text.split(':')[0])).toEqual([
      'changed',
      'ok',
      'ok',
      'ok',
      'failed',
    ])
    expect(report.tasks[1]!.message).toBe('["hi"] 0')
    expect(report.tasks[3]!.message).toBe('["started", ""]')
    expect(report.tasks[4]!.message).toBe('no')
  })
})

describe('k8s_drain and k8s_taint', () => {
  it('cordons, drains and taints nodes', async () => {
    const cluster = await withWeb()
    const { items } = await cluster.api.list(PODS)
    const { nodeName } = items[0]!.spec as { nodeName: string }
    const report = await cluster.play(`
- kubernetes.core.k8s_drain: {name: ${nodeName}, delete_options: {ignore_daemonsets: true, terminate_grace_period: 1}}
  register: r
- debug: {msg: "{{ r.result }}"}
- kubernetes.core.k8s_drain: {name: ${nodeName}, state: uncordon}
- kubernetes.core.k8s_drain: {name: ${nodeName}, state: uncordon}
- kubernetes.core.k8s_taint: {name: ${nodeName}, taints: [{key: wet, effect: NoSchedule}]}
- kubernetes.core.k8s_taint: {name: ${nodeName}, taints: [{key: wet, effect: NoSchedule}]}
- kubernetes.core.k8s_taint: {name: ${nodeName}, state: absent, taints: [{key: wet}]}
- kubernetes.core.k8s_drain: {name: nowhere}
`)
    expect(outcomesOf(report).map((text) => text.split(':')[0])).toEqual([
      ...['changed', 'ok', 'changed', 'ok', 'changed', 'ok', 'changed', 'failed'],
    ])
    expect(report.tasks[1]!.message).toBe(
      `node ${nodeName} marked unschedulable. 1 Pod(s) deleted from node.`,
    )
    expect(report.tasks.at(-1)!.message).toBe('Node nowhere not found.')
  })
})

describe('k8s_service', () => {
  it('creates a Service, and removes fields that a later task omits', async () => {
    const { play, api } = createInterpretedCluster()
    const report = await play(`
- k8s_service: {name: s, namespace: default, selector: {app: web}, ports: [{port: 80, targetPort: 8080}]}
- k8s_service: {name: s, namespace: default, ports: [{port: 80, targetPort: 9090}]}
`)
    expect(outcomesOf(report)).toEqual(['changed: k8s_service', 'changed: k8s_service'])
    const service = await api.get({ apiVersion: 'v1', plural: 'services', namespace: 'default', name: 's' })
    expect(service.spec).toMatchObject({ ports: [{ port: 80, targetPort: 9090 }] })
    expect(service.spec).not.toHaveProperty('selector')
  })
})

/** Tests commands of kubectl. The expected output is that of kubectl 1.32 on an equal cluster. */
import { describe, expect, it, onTestFinished } from 'vitest'
import { createRandom, createVirtualClock, deepFreeze, runVirtually } from '#kit'
import { createCluster, createSimulatedRuntime, defaultNodes } from '#platform/kube/simulated'
import { createCommands } from './create-commands.ts'

const WEB = {
  metadata: { name: 'web', labels: { app: 'web' } },
  spec: {
    replicas: 1,
    selector: { matchLabels: { app: 'web' } },
    template: {
      metadata: { labels: { app: 'web' } },
      spec: {
        terminationGracePeriodSeconds: 1,
        containers: [{ name: 'main', image: 'web:1', env: [{ name: 'A', value: '1' }] }],
      },
    },
  },
}

const CONFIG_MAPS = { apiVersion: 'v1', plural: 'configmaps', namespace: 'shop' }
const DEPLOYMENTS = { apiVersion: 'apps/v1', plural: 'deployments', namespace: 'shop' }

/** A cluster with a Deployment `web` and a ConfigMap `settings` in the namespace of the kubeconfig. */
const openShop = async () => {
  const clock = createVirtualClock(Date.UTC(2026, 0, 5))
  const random = createRandom('kubectl')
  const cluster = createCluster({
    clock,
    random,
    sockets: false,
    nodes: defaultNodes(2),
    store: { seal: deepFreeze },
    runtimeFor: (_node, nodeIndex) =>
      createSimulatedRuntime({
        clock,
        random,
        nodeIndex,
        images: () => ({
          run: () => ({
            exec: ([program, ...args]) =>
              program === 'echo'
                ? { exitCode: 0, stdout: `${args.join(' ')}\n` }
                : { exitCode: 3, stderr: 'no\n' },
            logs: (fromMs) => (fromMs === 0 ? [{ atMs: 0, text: 'started' }] : []),
          }),
        }),
      }),
  })
  onTestFinished(() => cluster.stop())
  clock.advance(30_000)
  const api = cluster.apiFor({ username: 'admin', groups: ['system:masters'] })
  await runVirtually(clock, async () => {
    await api.create({ apiVersion: 'v1', plural: 'namespaces' }, { metadata: { name: 'shop' } })
    await api.create(CONFIG_MAPS, { metadata: { name: 'settings', labels: { part: 'a' } }, data: { a: '1' } })
    await api.create(DEPLOYMENTS, WEB)
  })
  clock.advance(30_000)
  const commands = createCommands({ api, discovery: cluster.discovery, clock, namespace: 'shop' })
  const { signal } = new AbortController()
  return {
    api,
    clock,
    async run(command: string) {
      const outcome = await runVirtually(clock, () => commands.run({ command, stdin: '', signal }))
      return [outcome.exitCode, outcome.stdout, outcome.stderr] as const
    },
  }
}

describe('kubectl', () => {
  it.each<[string, number, string, string?]>([
    ['get deploy web -o name', 0, 'deployment.apps/web\n'],
    [
      'get deploy',
      0,
      'NAME   READY   UP-TO-DATE   AVAILABLE   AGE\nweb    1/1     1            1           30s\n',
    ],
    ['get deploy,cm -o name', 0, 'deployment.apps/web\nconfigmap/kube-root-ca.crt\nconfigmap/settings\n'],
    ['get cm settings --show-labels --no-headers', 0, 'settings   1     30s   part=a\n'],
    ['get deploy missing', 1, '', 'Error from server (NotFound): deployments.apps "missing" not found\n'],
    ['get deploy missing --ignore-not-found', 0, ''],
    ['get nothing', 1, '', `error: the server doesn't have a resource type "nothing"\n`],
    ['get sts', 0, '', 'No resources found in shop namespace.\n'],
    ['get pods --nonsense', 1, '', "Error: unknown flag: --nonsense\nSee 'kubectl get --help' for usage.\n"],
    [`get deploy web -o jsonpath='{.spec.replicas}{"\\n"}'`, 0, '1\n'],
    [`get cm -o jsonpath='{range .items[?(@.data.a=="1")]}{.metadata.name}{end}'`, 0, 'settings'],
    [
      'get cm settings -o custom-columns=N:.metadata.name,A:.data.a,Z:.data.z',
      0,
      'N          A     Z\nsettings   1     <none>\n',
    ],
    ['scale deploy web --replicas=2', 0, 'deployment.apps/web scaled\n'],
    ['set env deploy/web A=5 B=6', 0, 'deployment.apps/web env updated\n'],
    ['set image deploy/web main=web:2', 0, 'deployment.apps/web image updated\n'],
    ['set image deploy/web main=web:1', 0, ''],
    ['set image deploy/web other=web:2', 1, '', 'error: unable to find container named "other"\n'],
    ['rollout restart deploy web', 0, 'deployment.apps/web restarted\n'],
    ['rollout status deploy/web', 0, 'deployment "web" successfully rolled out\n'],
    ['rollout undo deploy/web', 1, '', 'error: no rollout history found for deployment "web"\n'],
    ['rollout history deploy/web', 0, 'deployment.apps/web \nREVISION  CHANGE-CAUSE\n1         <none>\n\n'],
    ['delete cm settings', 0, 'configmap "settings" deleted\n'],
    ['delete cm missing', 1, '', 'Error from server (NotFound): configmaps "missing" not found\n'],
    ['delete cm -l part=none', 0, '', 'No resources found\n'],
    [`patch deploy web -p '{"spec":{"replicas":1}}'`, 0, 'deployment.apps/web patched (no change)\n'],
    ['label cm settings part=b', 1, '', "error: 'part' already has a value (a), and --overwrite is false\n"],
    ['label cm settings part-', 0, 'configmap/settings unlabeled\n'],
    ['annotate cm settings note=x', 0, 'configmap/settings annotated\n'],
    ['exec deploy/web -- echo hi', 0, 'hi\n'],
    ['exec deploy/web -- other', 3, '', 'no\ncommand terminated with exit code 3\n'],
    ['logs deploy/web', 0, 'started\n'],
    ['wait --for=condition=Available deploy/web', 0, 'deployment.apps/web condition met\n'],
    [
      'wait --for=condition=None deploy/web --timeout=1s',
      1,
      '',
      'error: timed out waiting for the condition on deployments/web\n',
    ],
    ['cordon node1', 0, 'node/node1 cordoned\n'],
    ['uncordon node1', 0, 'node/node1 already uncordoned\n'],
    ['taint nodes node1 k=v:NoSchedule', 0, 'node/node1 tainted\n'],
    [
      'create -f - <<E\n{apiVersion: v1, kind: ConfigMap, metadata: {name: settings}}\nE',
      1,
      '',
      'Error from server (AlreadyExists): error when creating "STDIN": configmaps "settings" already exists\n',
    ],
  ])('kubectl %s', async (command, code, stdout, stderr = '') => {
    const { run } = await openShop()
    expect(await run(`kubectl ${command}`)).toEqual([code, stdout, stderr])
  })

  it('takes the namespace before and after the verb', async () => {
    const { run } = await openShop()
    const outcome = [0, 'deployment.apps/web scaled\n', '']
    expect(await run('kubectl -n shop scale deploy/web --replicas 2')).toEqual(outcome)
    expect(await run('kubectl scale --namespace=shop deploy web --replicas=1')).toEqual(outcome)
    expect(await run('kubectl rollout -n shop restart deploy/web')).toEqual([
      0,
      'deployment.apps/web restarted\n',
      '',
    ])
    expect((await run('kubectl -n other get deploy web'))[0]).toBe(1)
  })

  it('applies a manifest, and removes fields that it no longer contains', async () => {
    const { run, api } = await openShop()
    const apply = (data: string): string =>
      `kubectl apply -f - <<E\n{apiVersion: v1, kind: ConfigMap, metadata: {name: new}, data: ${data}}\nE`
    expect(await run(apply('{a: "1", b: "2"}'))).toEqual([0, 'configmap/new created\n', ''])
    expect(await run(apply('{a: "1", b: "2"}'))).toEqual([0, 'configmap/new unchanged\n', ''])
    expect(await run(apply('{b: "3"}'))).toEqual([0, 'configmap/new configured\n', ''])
    expect((await api.get({ ...CONFIG_MAPS, name: 'new' })).data).toEqual({ b: '3' })
  })

  it('returns to the template of the previous revision', async () => {
    const { run, api, clock } = await openShop()
    await run('kubectl set image deploy/web main=web:2')
    clock.advance(10_000)
    expect(await run('kubectl rollout undo deploy/web')).toEqual([0, 'deployment.apps/web rolled back\n', ''])
    expect(await api.get({ ...DEPLOYMENTS, name: 'web' })).toMatchObject({
      spec: { template: { spec: { containers: [{ image: 'web:1' }] } } },
    })
  })

  it('waits in virtual time until deleted pods are gone', async () => {
    const { run, clock } = await openShop()
    const start = clock.now()
    const [code, stdout] = await run('kubectl delete pods -l app=web')
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^pod "web-[a-z0-9-]+" deleted\n$/)])
    expect(clock.now() - start).toBeLessThan(5000)
  })
})

/** Tests everyday commands with the oldest, a middle and the newest kubectl. `npm run proof kubectl` runs all versions. */
import { describe, expect, it } from 'vitest'
import type { Kubectl } from '#lab/tools'
import { joinManifests, scriptPod, webConfig, webDeployment, webService } from '../testing/manifests.ts'
import { minorOf, useTestCluster } from '../testing/use-test-cluster.ts'
import { kubectls } from '../tools.ts'

const chooseVersions = (all: Kubectl[]): Kubectl[] => {
  if (process.env.REMEDIUM_KUBECTLS === 'all') return all
  if (process.env.REMEDIUM_KUBECTLS === 'newest') return [all.at(-1)!]
  return [...new Set([all[0]!, all[Math.floor(all.length / 2)]!, all.at(-1)!])]
}

const lab = useTestCluster()

const VERSIONS = chooseVersions(kubectls())

describe.concurrent.each(VERSIONS)('kubectl $version', (kubectl) => {
  const minor = minorOf(kubectl)
  // Two versions can have the same minor version.
  const open = (topic: string) =>
    lab.current.shell(kubectl, `${topic}-${kubectl.version.replaceAll('.', '-')}`)

  it('discovers the API', async () => {
    const sh = await open('discovery')
    expect(JSON.parse(await sh('kubectl version -o json')).serverVersion.minor).toBe('32')
    expect(await sh('kubectl api-resources -o name')).toMatch(/^deployments\.apps$/m)
    expect(await sh('kubectl explain deployment.spec.replicas')).toMatch(/replicas.*<integer>/i)
    expect(await sh('kubectl auth can-i create pods')).toBe('yes\n')
    expect(await sh('kubectl get nodes')).toMatch(/node3 +Ready/)
  })

  it('applies, changes and applies again', async () => {
    const sh = await open('apply')
    const manifests = joinManifests(webDeployment(), webService, webConfig('one'))
    expect(await sh('kubectl apply -f -', manifests)).toBe(
      'deployment.apps/web created\nservice/web created\nconfigmap/web created\n',
    )
    expect(await sh('kubectl apply -f -', manifests)).toContain('deployment.apps/web unchanged')
    expect(await sh('kubectl rollout status deploy/web --timeout=60s')).toContain('successfully rolled out')
    expect((await sh.run('kubectl diff -f -', webConfig('two'))).code).toBe(1)
    expect(await sh('kubectl apply -f -', webConfig('two'))).toBe('configmap/web configured\n')
    expect(await sh('kubectl apply --server-side --force-conflicts -f -', webConfig('three'))).toBe(
      'configmap/web serverside-applied\n',
    )
    expect(await sh('kubectl get cm web -o jsonpath={.data.value}')).toBe('three')
    expect(await sh(`EDITOR='sed -i s/three/four/' kubectl edit cm web`)).toBe('configmap/web edited\n')
    expect(await sh('kubectl replace -f -', webConfig('five'))).toBe('configmap/web replaced\n')
    expect(
      await sh.expectFailure('kubectl apply -f -', 1, webConfig('x').replace('\ndata:', '\ndatum:')),
    ).toContain('unknown field "datum"')
  })

  it('creates objects without files', async () => {
    const sh = await open('create')
    await sh('kubectl create deployment web --image=nginx:1.27 --replicas=2')
    await sh('kubectl expose deployment web --port=80')
    await sh('kubectl create configmap settings --from-literal=a=b')
    await sh('kubectl create secret generic pass --from-literal=word=hunter2')
    await sh('kubectl create job once --image=busybox -- true')
    await sh('kubectl create sa robot')
    await sh('kubectl autoscale deployment web --max=3 --cpu-percent=80')
    await sh('kubectl wait --for=condition=Available deploy/web --timeout=60s')
    await sh('kubectl wait --for=condition=complete job/once --timeout=60s')
    expect(await sh('kubectl get deploy,svc,hpa,cm,secret,sa -o name')).toMatch(
      /deployment\.apps\/web\nservice\/web\nhorizontalpodautoscaler\.autoscaling\/web\n/,
    )
    expect(await sh('kubectl describe deploy web')).toContain(
      '2 desired | 2 updated | 2 total | 2 available | 0 unavailable',
    )
    if (minor >= 24) expect(await sh('kubectl create token robot')).toMatch(/^eyJ/)
  })

  it('changes running workloads', async () => {
    const sh = await open('change')
    await sh('kubectl create -f -', webDeployment())
    await sh('kubectl rollout status deploy/web --timeout=60s')
    await sh('kubectl set image deploy/web web=nginx:1.28 && kubectl rollout status deploy/web --timeout=60s')
    expect(await sh('kubectl rollout history deploy/web')).toMatch(/\n1 +<none>\n2 +<none>\n/)
    expect(await sh('kubectl rollout undo deploy/web')).toBe('deployment.apps/web rolled back\n')
    await sh('kubectl rollout restart deploy/web && kubectl rollout status deploy/web --timeout=60s')
    await sh(
      `kubectl scale deploy web --replicas=1 && kubectl set env deploy/web A=1 && kubectl label deploy web x=y && kubectl annotate deploy web z=1`,
    )
    await sh(`kubectl patch deploy web -p '{"spec":{"paused":true}}'`)
    expect(
      await sh(
        'kubectl get deploy web -o jsonpath="{.spec.replicas} {..containers[0].env} {.metadata.labels.x} {.spec.paused}"',
      ),
    ).toBe('1 [{"name":"A","value":"1"}] y true')
    expect(await sh('kubectl delete deploy web')).toContain('deployment.apps "web" deleted')
  })

  it('runs commands in pods', async () => {
    const sh = await open('pods')
    await sh('kubectl create -f -', scriptPod('box', 'echo started; sleep 600'))
    await sh('kubectl wait --for=condition=Ready pod/box --timeout=60s')
    await sh.eventually('kubectl logs box', /started/)
    expect(await sh('kubectl exec -i box -- cat', 'through\n')).toBe('through\n')
    expect(await sh.expectFailure('kubectl exec box -- sh -c "exit 3"', 3)).toContain('exit code 3')
    await sh('echo text > file && kubectl cp file box:copied')
    expect(await sh('kubectl exec box -- cat copied')).toBe('text\n')
    expect(await sh('kubectl get events')).toMatch(/Started +pod\/box/)
    expect(await sh.eventually('kubectl top pods', /box/)).toMatch(/box +\d+m +\d+Mi/)
    const watch = sh.start('exec kubectl get pods -w')
    await watch.until(/box +1\/1 +Running/)
    await sh('kubectl delete pod box')
    await watch.until(/box +\d\/1 +(Terminating|Error|Completed)/)
    await watch.stop()
  })

  it('reads logs', async () => {
    const sh = await open('logs')
    const script =
      'echo one; echo two >&2; sleep 1; echo three; test -e /tmp/seen || { touch /tmp/seen; exit 3; }'
    await sh('kubectl create -f -', scriptPod('talk', script).replace('Policy: Never', 'Policy: OnFailure'))
    const follow = sh.start(
      'sleep 0.3; until kubectl logs -f talk 2>/dev/null | grep three; do sleep 0.2; done',
    )
    await follow.until(/three/)
    await follow.ended
    await sh.eventually('kubectl logs talk -p', /^one\ntwo\nthree\n$/)
    expect(await sh('kubectl logs talk -p --tail=2')).toBe('two\nthree\n')
    expect(await sh('kubectl logs talk -p --limit-bytes=5')).toBe('one\nt')
    expect(await sh('kubectl logs talk -p --since=1h --timestamps')).toMatch(
      /^(20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z (one|two|three)\n){3}$/,
    )
    expect(await sh('kubectl logs talk -p --since-time=2100-01-01T00:00:00Z')).toBe('')
    expect(await sh('kubectl logs -l app=talk --all-containers --prefix -p')).toContain(
      '[pod/talk/main] one\n',
    )
  })

  it('keeps streams open', async () => {
    const sh = await open('streams')
    const echo = 'while read line; do echo "heard $line"; test "$line" = stop && exit 0; done'
    await sh('kubectl create -f -', scriptPod('echoing', echo, '    stdin: true\n'))
    await sh('kubectl run web --image=nginx:1.27 --port=80')
    await sh('kubectl wait --for=condition=Ready pod/echoing pod/web --timeout=60s')
    expect(
      await sh('(sleep 0.5; echo one; sleep 0.2; echo stop; sleep 1) | kubectl attach -i echoing'),
    ).toContain('heard one\nheard stop\n')
    await sh.eventually('kubectl exec web -- curl -s localhost', /Welcome to nginx/)
    const forward = sh.start('exec kubectl port-forward pod/web :80')
    const [, port] = /Forwarding from 127\.0\.0\.1:(\d+)/.exec(await forward.until(/Forwarding from 127/))!
    expect(await (await fetch(`http://127.0.0.1:${port}`)).text()).toContain('Welcome to nginx')
    await forward.stop()
    const inTerminal = `script -qec 'kubectl exec -it web -- sh -c "test -t 1 && echo terminal"' /dev/null`
    expect(await sh(inTerminal)).toContain('terminal')
    if (minor >= 25) {
      await sh(
        'kubectl debug web --image=busybox --container=look --target=web -- sh -c "echo looking; sleep 600"',
      )
      expect(await sh.eventually('kubectl logs web -c look', /looking/)).toBe('looking\n')
    }
  })
})

// Not concurrent, because these tests share the nodes.
describe.each(VERSIONS)('kubectl $version on shared nodes', (kubectl) => {
  it('drains a node and shows the usage of nodes', async () => {
    const sh = await lab.current.shell(kubectl, `nodes-${kubectl.version.replaceAll('.', '-')}`)
    await sh('kubectl cordon node1 && kubectl cordon node2')
    await sh('kubectl create -f -', webDeployment())
    await sh('kubectl rollout status deploy/web --timeout=60s')
    await sh('kubectl uncordon node1 && kubectl uncordon node2')
    expect(
      await sh('kubectl drain node3 --ignore-daemonsets --delete-emptydir-data --force --timeout=60s'),
    ).toMatch(/pod\/web-\S+ evicted\n[\s\S]*node\/node3 (evicted|drained)/)
    await sh('kubectl rollout status deploy/web --timeout=60s && kubectl uncordon node3')
    expect(await sh('kubectl get pods -o jsonpath="{.items[*].spec.nodeName}"')).not.toContain('node3')
    expect(await sh('kubectl top nodes')).toMatch(/\nnode1 +\d+m +\d+% +\d+Mi +\d+% *\n/)
  })
})

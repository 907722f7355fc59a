/** Tests kubectl get in all its forms. */
import { describe, expect, it } from 'vitest'
import { joinManifests, scriptPod, webDeployment, webService } from '../testing/manifests.ts'
import type { Shell } from '../testing/shell.ts'
import { minorOf, thoroughKubectls, useTestCluster } from '../testing/use-test-cluster.ts'

const lab = useTestCluster()

const AGE = /(\d+[smhd])+/.source

/** Deploys `web` and waits for its two pods. */
const deployWeb = async (sh: Shell): Promise<void> => {
  await sh('kubectl apply -f -', joinManifests(webDeployment(), webService))
  await sh.eventually('kubectl get deploy web', /2\/2/)
}

describe.concurrent.each(thoroughKubectls())('kubectl $version', (kubectl) => {
  const minor = minorOf(kubectl)

  it('get prints the columns of the server', async () => {
    const sh = await lab.open(kubectl, 'columns')
    await deployWeb(sh)
    const pods = (await sh('kubectl get pods')).trim().split('\n')
    expect(pods[0]).toMatch(/^NAME +READY +STATUS +RESTARTS +AGE$/)
    expect(pods[1]).toMatch(new RegExp(`^web-[a-z0-9]+-[a-z0-9]{5} +1/1 +Running +0 +${AGE}$`))
    expect(pods).toHaveLength(3)
    expect(await sh('kubectl get deploy web')).toMatch(
      new RegExp(`^NAME +READY +UP-TO-DATE +AVAILABLE +AGE\nweb +2/2 +2 +2 +${AGE}\n$`),
    )
    expect(await sh('kubectl get svc web')).toMatch(
      new RegExp(
        `^NAME +TYPE +CLUSTER-IP +EXTERNAL-IP +PORT\\(S\\) +AGE\nweb +ClusterIP +10\\.[\\d.]+ +<none> +80/TCP +${AGE}\n$`,
      ),
    )
    expect(await sh('kubectl get nodes')).toMatch(
      /^NAME +STATUS +ROLES +AGE +VERSION\nnode1 +Ready +<none> +\S+ +v1\.32\.\d+\n/,
    )
    expect(await sh('kubectl get ns default')).toMatch(/^NAME +STATUS +AGE\ndefault +Active/)
  })

  it('get -o wide, --show-labels, -L, --no-headers', async () => {
    const sh = await lab.open(kubectl, 'wide')
    await deployWeb(sh)
    expect(await sh('kubectl get pods -o wide')).toMatch(
      /IP +NODE +NOMINATED NODE +READINESS GATES\nweb-.* 10\.244\.\d+\.\d+ +node\d +<none> +<none>/,
    )
    expect(await sh('kubectl get deploy web -o wide')).toMatch(
      /CONTAINERS +IMAGES +SELECTOR\n.* web +nginx:1\.27 +app=web/,
    )
    expect(await sh('kubectl get pods --show-labels')).toMatch(/LABELS\nweb-.* app=web,pod-template-hash=\w+/)
    expect(await sh('kubectl get pods -L app')).toMatch(/AGE +APP\nweb-.* web\n/)
    expect(await sh('kubectl get pods --no-headers')).toMatch(/^web-/)
    expect(await sh('kubectl get pods --show-kind --no-headers')).toMatch(/^pod\/web-/)
    expect(await sh('kubectl get nodes -o wide')).toMatch(
      /INTERNAL-IP +EXTERNAL-IP +OS-IMAGE +KERNEL-VERSION +CONTAINER-RUNTIME\n.*containerd:\/\//,
    )
  })

  it('get -o yaml, json, name, jsonpath, custom-columns, go-template', async () => {
    const sh = await lab.open(kubectl, 'outputs')
    await deployWeb(sh)
    const yaml = await sh('kubectl get deploy web -o yaml')
    expect(yaml).toMatch(/^apiVersion: apps\/v1\nkind: Deployment\nmetadata:\n/)
    const object = JSON.parse(await sh('kubectl get deploy web -o json'))
    expect(object).toMatchObject({ kind: 'Deployment', spec: { replicas: 2, progressDeadlineSeconds: 600 } })
    const list = JSON.parse(await sh('kubectl get deploy,svc -o json'))
    expect(list).toMatchObject({ kind: 'List', apiVersion: 'v1' })
    expect(list.items.map(({ kind }: { kind: string }) => kind)).toEqual(['Deployment', 'Service'])
    expect(await sh('kubectl get deploy,svc -o name')).toBe('deployment.apps/web\nservice/web\n')
    expect(await sh('kubectl get pods -o jsonpath="{.items[*].spec.containers[0].image}"')).toBe(
      'nginx:1.27 nginx:1.27',
    )
    expect(
      await sh(
        'kubectl get deploy -o custom-columns=NAME:.metadata.name,WANTED:.spec.replicas,NO:.spec.nope',
      ),
    ).toMatch(/^NAME +WANTED +NO\nweb +2 +<none>\n$/)
    expect(await sh(`kubectl get svc web -o go-template='{{.spec.type}}'`)).toBe('ClusterIP')
  })

  it('get --sort-by', async () => {
    const sh = await lab.open(kubectl, 'sort')
    for (const [name, value] of [
      ['a', 3],
      ['b', 1],
      ['c', 2],
    ])
      await sh(`kubectl create cm ${name} --from-literal=order=${value}`)
    const sorted = await sh('kubectl get cm --sort-by=.data.order')
    expect(sorted.match(/^[abc] /gm)).toEqual(['b ', 'c ', 'a '])
    expect(await sh('kubectl get cm --sort-by=.metadata.creationTimestamp -o name')).toContain('configmap/a')
  })

  it('get -l, --field-selector, -A', async () => {
    const sh = await lab.open(kubectl, 'select')
    await sh('kubectl apply -f -', joinManifests(scriptPod('one', 'sleep 600'), scriptPod('two', 'exit 0')))
    await sh.eventually('kubectl get pods', /one +1\/1 +Running[\s\S]*two +0\/1 +Completed/)
    expect(await sh('kubectl get pods -l app=one -o name')).toBe('pod/one\n')
    expect(await sh('kubectl get pods -l "app in (two,three)" -o name')).toBe('pod/two\n')
    expect(await sh('kubectl get pods -l "app!=one" -o name')).toBe('pod/two\n')
    expect(await sh('kubectl get pods -l "!app" -o name')).toBe('')
    expect(await sh('kubectl get pods --field-selector=status.phase=Succeeded -o name')).toBe('pod/two\n')
    expect(
      await sh('kubectl get pods --field-selector=status.phase!=Succeeded,metadata.name=one -o name'),
    ).toBe('pod/one\n')
    expect(await sh('kubectl get events --field-selector=involvedObject.name=one,reason=Scheduled')).toMatch(
      /Scheduled +pod\/one +Successfully assigned select-\d+\/one to node\d/,
    )
    expect(await sh.expectFailure('kubectl get pods --field-selector=spec.foo=1')).toContain(
      'field label not supported: spec.foo',
    )
    expect(await sh.expectFailure('kubectl get pods -l "a b c"')).toContain('unable to parse')
    expect(await sh('kubectl get pods -A')).toMatch(/^NAMESPACE +NAME +READY[\s\S]*^select-\d+ +one +1\/1/m)
    await sh('kubectl delete pod one two --wait=false')
  })

  it('get all, and several kinds at once', async () => {
    const sh = await lab.open(kubectl, 'all')
    await deployWeb(sh)
    const all = await sh('kubectl get all')
    for (const row of [
      /^pod\/web-/m,
      /^service\/web /m,
      /^deployment\.apps\/web /m,
      /^replicaset\.apps\/web-/m,
    ])
      expect(all).toMatch(row)
    expect(await sh('kubectl get svc/web deploy/web')).toMatch(/service\/web [\s\S]*deployment\.apps\/web /)
  })

  it('get missing objects', async () => {
    const sh = await lab.open(kubectl, 'absent')
    expect(await sh.expectFailure('kubectl get pod nope')).toBe(
      'Error from server (NotFound): pods "nope" not found\n',
    )
    expect(await sh.expectFailure('kubectl get deploy nope')).toBe(
      'Error from server (NotFound): deployments.apps "nope" not found\n',
    )
    expect(await sh('kubectl get pod nope --ignore-not-found')).toBe('')
    expect((await sh.run('kubectl get pods')).stderr).toMatch(
      /^No resources found in absent-\d+ namespace\.\n$/,
    )
    expect(await sh.expectFailure('kubectl get nonsense')).toContain(
      `error: the server doesn't have a resource type "nonsense"`,
    )
  })

  it('get --chunk-size reads all pages', async () => {
    const sh = await lab.open(kubectl, 'chunks')
    await sh(
      'for n in 1 2 3 4 5; do printf -- "---\\napiVersion: v1\\nkind: ConfigMap\\nmetadata: {name: c$n}\\n"; done | kubectl create -f -',
    )
    const paged = await sh.run('kubectl get cm --chunk-size=2 -o name -v=6')
    expect(paged.stdout).toBe(
      'configmap/c1\nconfigmap/c2\nconfigmap/c3\nconfigmap/c4\nconfigmap/c5\nconfigmap/kube-root-ca.crt\n',
    )
    expect(paged.stderr.match(/configmaps\?(continue|limit)\S*/g)).toHaveLength(3)
  })

  it('get -w and --watch-only', async () => {
    const sh = await lab.open(kubectl, 'watch')
    await sh('kubectl create cm before')
    const [watch, watchOnly] = [
      sh.start('exec kubectl get cm -w'),
      sh.start('exec kubectl get cm --watch-only'),
    ]
    await watch.until(/before/)
    await sh.eventually('kubectl get cm -o name', /before/)
    await new Promise((resolve) => setTimeout(resolve, 500))
    await sh('kubectl create cm after')
    await sh(`kubectl patch cm after -p '{"data":{"a":"1"}}'`)
    expect(await watch.until(/after +1/)).toMatch(
      /NAME +DATA +AGE[\s\S]*before +0[\s\S]*after +0[\s\S]*after +1/,
    )
    expect(await watchOnly.until(/after +1/)).not.toContain('before')
    await Promise.all([watch.stop(), watchOnly.stop()])
    const events = sh.start('exec kubectl get cm -w --output-watch-events -o json')
    await events.until(/"type": ?"ADDED"/)
    await sh('kubectl delete cm after')
    await events.until(/"type": ?"DELETED"/)
    await events.stop()
  })

  it('events', async () => {
    const sh = await lab.open(kubectl, 'events')
    await sh(`kubectl run seen --image=seen:${minor}`)
    await sh.eventually('kubectl get pod seen', /Running/)
    const table = await sh('kubectl get events --sort-by=.metadata.creationTimestamp')
    expect(table).toMatch(/^LAST SEEN +TYPE +REASON +OBJECT +MESSAGE\n/)
    for (const row of [
      /Normal +Scheduled +pod\/seen +Successfully assigned events-\d+\/seen to node\d/,
      /Normal +Pulling +pod\/seen +Pulling image "seen:\d+"/,
      /Normal +Pulled +pod\/seen +Successfully pulled image "seen:\d+" in \d+/,
      /Normal +Created +pod\/seen +Created container: seen/,
      /Normal +Started +pod\/seen +Started container seen/,
    ])
      expect(table).toMatch(row)
    if (minor < 26) return
    expect(await sh('kubectl events --for pod/seen')).toMatch(
      /LAST SEEN +TYPE +REASON +OBJECT +MESSAGE\n[\s\S]*Started +Pod\/seen/,
    )
    expect(await sh('kubectl events --types=Warning')).not.toContain('Started')
  })
})

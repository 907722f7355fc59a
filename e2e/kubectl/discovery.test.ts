/** Tests kubectl version, api-resources, explain and other discovery commands. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { minorOf, thoroughKubectls, useTestCluster } from '../testing/use-test-cluster.ts'

const lab = useTestCluster()

describe.concurrent.each(thoroughKubectls())('kubectl $version', (kubectl) => {
  const minor = minorOf(kubectl)

  it('version', async () => {
    const sh = await lab.open(kubectl, 'version')
    const versions = JSON.parse(await sh('kubectl version -o json'))
    expect(versions.clientVersion.gitVersion).toContain(kubectl.version)
    expect(versions.serverVersion).toMatchObject({
      major: '1',
      minor: '32',
      gitVersion: expect.stringMatching(/^v1\.32\./),
    })
  })

  it('api-resources', async () => {
    const sh = await lab.open(kubectl, 'api-resources')
    const rows = (await sh('kubectl api-resources')).split('\n')
    expect(rows[0]).toMatch(/^NAME +SHORTNAMES +APIVERSION +NAMESPACED +KIND/)
    for (const row of [
      /^pods +po +v1 +true +Pod/,
      /^nodes +no +v1 +false +Node/,
      /^deployments +deploy +apps\/v1 +true +Deployment/,
      /^horizontalpodautoscalers +hpa +autoscaling\/v2 +true +HorizontalPodAutoscaler/,
      /^customresourcedefinitions +crd,crds +apiextensions.k8s.io\/v1 +false +CustomResourceDefinition/,
      /^nodes +metrics.k8s.io\/v1beta1 +false +NodeMetrics/,
    ])
      expect(rows).toContainEqual(expect.stringMatching(row))
    const names = await sh(
      'kubectl api-resources --namespaced=false --verbs=list,delete --api-group= -o name',
    )
    expect(names.trim().split('\n').sort()).toEqual(['namespaces', 'nodes', 'persistentvolumes'])
    expect(await sh('kubectl api-resources -o wide')).toMatch(
      /^pods .*create.*delete.*deletecollection.*get.*list.*patch.*update.*watch/m,
    )
  })

  it('api-versions', async () => {
    const sh = await lab.open(kubectl, 'api-versions')
    const versions = (await sh('kubectl api-versions')).trim().split('\n')
    expect(versions).toEqual(
      expect.arrayContaining([
        'v1',
        'apps/v1',
        'batch/v1',
        'autoscaling/v1',
        'autoscaling/v2',
        'policy/v1',
        'metrics.k8s.io/v1beta1',
        'rbac.authorization.k8s.io/v1',
      ]),
    )
  })

  it('cluster-info, and its dump', async () => {
    const sh = await lab.open(kubectl, 'cluster-info')
    expect(await sh('kubectl cluster-info')).toContain(lab.current.server.url)
    await sh('kubectl run dumped --image=nginx:1.27')
    await sh.eventually('kubectl get pod dumped', /Running/)
    await sh(
      'kubectl cluster-info dump --namespaces "$(kubectl config view --minify -o jsonpath={..namespace})" --output-directory dump',
    )
    expect(JSON.parse(await sh('cat dump/nodes.json')).items).toHaveLength(3)
    const pods = JSON.parse(await sh('cat dump/*/pods.json'))
    expect(pods.items.map((pod: { metadata: { name: string } }) => pod.metadata.name)).toEqual(['dumped'])
  })

  it('explain', async () => {
    const sh = await lab.open(kubectl, 'explain')
    expect(await sh('kubectl explain pod.spec.containers.imagePullPolicy')).toMatch(
      /Possible enum values:\s+- `"Always"`\s+- `"IfNotPresent"`\s+- `"Never"`/,
    )
    expect(await sh('kubectl explain pods')).toMatch(
      /KIND: +Pod[\s\S]*VERSION: +v1[\s\S]*FIELDS:[\s\S]*spec\s+<(Object|PodSpec)>/,
    )
    expect(await sh('kubectl explain deployment.spec.strategy.rollingUpdate')).toMatch(
      /maxSurge\s+<(string|IntOrString)>/,
    )
    expect(await sh('kubectl explain deploy.spec.template.spec.containers.resources --recursive')).toMatch(
      /limits\s+<map\[string\](string|Quantity)>/,
    )
    expect(await sh('kubectl explain hpa --api-version=autoscaling/v1')).toMatch(
      /VERSION: +(autoscaling\/)?v1\n/,
    )
    expect(await sh.expectFailure('kubectl explain pods.spec.nonsense')).toContain(
      'field "nonsense" does not exist',
    )
    expect(await sh.expectFailure('kubectl explain nonsense')).toMatch(
      /the server doesn't have a resource type "nonsense"|Couldn't find resource for/,
    )
  })

  it('get --raw', async () => {
    const sh = await lab.open(kubectl, 'raw')
    expect(await sh('kubectl get --raw /healthz')).toBe('ok')
    expect(await sh('kubectl get --raw "/readyz?verbose"')).toMatch(/\[\+\]ping ok[\s\S]*readyz check passed/)
    expect(JSON.parse(await sh('kubectl get --raw /version'))).toMatchObject({ major: '1', minor: '32' })
    expect(await sh('kubectl get --raw /metrics')).toMatch(/^# TYPE apiserver_request_total counter/m)
    expect(JSON.parse(await sh('kubectl get --raw /apis/apps')).preferredVersion.groupVersion).toBe('apps/v1')
    expect(await sh.expectFailure('kubectl get --raw /apis/nonsense')).toMatch(
      /the server could not find the requested resource|NotFound/,
    )
  })

  it('proxy', async () => {
    const sh = await lab.open(kubectl, 'proxy')
    const proxy = sh.start('exec kubectl proxy --port=0')
    const [, address] = /Starting to serve on (\S+)/.exec(await proxy.until(/serve on \S+\n/))!
    const pods = await fetch(`http://${address}/api/v1/namespaces/default/pods`)
    expect(await pods.json()).toMatchObject({ kind: 'PodList', apiVersion: 'v1' })
    await proxy.stop()
  })

  it('config view', async () => {
    const sh = await lab.open(kubectl, 'config')
    const view = await sh('kubectl config view')
    expect(view).toContain(`server: ${lab.current.server.url}`)
    expect(view).toContain('REDACTED')
    expect(await sh('kubectl config current-context')).toBe('test\n')
    await sh('kubectl config set-context --current --namespace=kube-system')
    expect(await sh('kubectl get configmaps -o name')).toContain('configmap/kube-root-ca.crt')
  })

  it('plugin list, without plugins', async () => {
    const sh = await lab.open(kubectl, 'plugin')
    expect(await sh.expectFailure('kubectl plugin list')).toContain(
      'unable to find any kubectl plugins in your PATH',
    )
  })

  it('certificate approve, which is not supported', async () => {
    const sh = await lab.open(kubectl, 'certificate')
    expect(await sh.expectFailure('kubectl certificate approve nobody')).toMatch(
      /the server (doesn't have a resource type|could not find the requested resource)|no matches for/,
    )
  })

  if (minor >= 22)
    it('completes names for a shell', async () => {
      const sh = await lab.open(kubectl, 'complete')
      await sh('kubectl create configmap completed')
      expect(await sh('kubectl __complete get configmaps comp 2>/dev/null')).toContain('completed')
    })

  it('kustomize, apply -k and delete -k', async () => {
    const sh = await lab.open(kubectl, 'kustomize')
    mkdirSync(join(sh.cwd, 'k'))
    writeFileSync(
      join(sh.cwd, 'k', 'kustomization.yaml'),
      'namePrefix: pre-\nconfigMapGenerator:\n- name: settings\n  literals: [a=1]\n',
    )
    expect(await sh('kubectl kustomize k')).toMatch(/name: pre-settings-\w{10}/)
    expect(await sh('kubectl apply -k k')).toMatch(/configmap\/pre-settings-\w{10} created/)
    expect(await sh('kubectl get cm -o name')).toMatch(/configmap\/pre-settings-/)
    expect(await sh('kubectl delete -k k')).toMatch(/configmap "pre-settings-\w{10}" deleted/)
  })
})

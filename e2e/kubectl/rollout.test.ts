/** Tests kubectl rollout and wait. */
import { describe, expect, it } from 'vitest'
import { scriptPod, webDeployment } from '../testing/manifests.ts'
import { minorOf, serverKubectls, useTestCluster } from '../testing/use-test-cluster.ts'

const lab = useTestCluster()

describe.concurrent.each(serverKubectls())('kubectl $version', (kubectl) => {
  const minor = minorOf(kubectl)

  it('rollout status', async () => {
    const sh = await lab.open(kubectl, 'status')
    await sh('kubectl create -f -', webDeployment())
    expect(await sh('kubectl rollout status deploy/web --timeout=30s')).toMatch(
      /deployment "web" successfully rolled out\n$/,
    )
    await sh('kubectl set image deploy/web web=registry.example/missing:1')
    expect(await sh.expectFailure('kubectl rollout status deploy/web --timeout=2s')).toContain(
      'error: timed out waiting for the condition',
    )
    expect(await sh('kubectl rollout status deploy/web --watch=false')).toMatch(
      /^Waiting for deployment "web" rollout to finish: 1 out of 2 new replicas have been updated\.\.\.\n$/,
    )
  })

  it('rollout status of a Deployment that makes no progress', async () => {
    const sh = await lab.open(kubectl, 'stuck')
    await sh(
      'kubectl create -f -',
      webDeployment({ image: 'registry.example/missing:1' }).replace(
        '  replicas',
        '  progressDeadlineSeconds: 1\n  replicas',
      ),
    )
    await sh.eventually(
      'kubectl get deploy web -o jsonpath={.status.conditions[*].reason}',
      /ProgressDeadlineExceeded/,
    )
    expect(await sh.expectFailure('kubectl rollout status deploy/web')).toBe(
      'error: deployment "web" exceeded its progress deadline\n',
    )
    await sh.eventually('kubectl get pods', /ErrImagePull|ImagePullBackOff/)
  })

  it('rollout history, undo, undo --to-revision', async () => {
    const sh = await lab.open(kubectl, 'history')
    await sh('kubectl create -f -', webDeployment())
    await sh('kubectl rollout status deploy/web')
    await sh('kubectl annotate deploy web kubernetes.io/change-cause=first')
    await sh.eventually('kubectl rollout history deploy/web', /1 +first/)
    await sh(
      'kubectl set image deploy/web web=nginx:1.28; kubectl annotate deploy web kubernetes.io/change-cause=second --overwrite',
    )
    await sh('kubectl rollout status deploy/web')
    expect(await sh.eventually('kubectl rollout history deploy/web', /2 +second/)).toMatch(
      /^deployment\.apps\/web ?\nREVISION +CHANGE-CAUSE\n1 +first\n2 +second\n/,
    )
    expect(await sh('kubectl rollout history deploy/web --revision=1')).toMatch(
      /^deployment\.apps\/web with revision #1\nPod Template:\n[\s\S]*Image:\s+nginx:1\.27/,
    )
    expect(await sh('kubectl rollout undo deploy/web')).toBe('deployment.apps/web rolled back\n')
    await sh('kubectl rollout status deploy/web')
    expect(await sh('kubectl get deploy web -o jsonpath={..image}')).toBe('nginx:1.27')
    expect(await sh('kubectl rollout history deploy/web')).toMatch(/\n2 +second\n3 +first\n/)
    await sh('kubectl rollout undo deploy/web --to-revision=2')
    await sh.eventually('kubectl get deploy web -o jsonpath={..image}', /nginx:1\.28/)
    expect(await sh.expectFailure('kubectl rollout undo deploy/web --to-revision=99')).toContain(
      'unable to find specified revision 99 in history',
    )
  })

  it('rollout pause and resume', async () => {
    const sh = await lab.open(kubectl, 'pause')
    await sh('kubectl create -f -', webDeployment())
    await sh('kubectl rollout status deploy/web')
    expect(await sh('kubectl rollout pause deploy/web')).toBe('deployment.apps/web paused\n')
    expect(await sh.expectFailure('kubectl rollout pause deploy/web')).toContain('is already paused')
    await sh('kubectl set image deploy/web web=nginx:1.28')
    await sh.eventually(
      'kubectl get deploy web -o jsonpath="{.status.observedGeneration} {.status.conditions[*].reason}"',
      /3 .*DeploymentPaused/,
    )
    expect(await sh('kubectl get pods -o jsonpath={.items[*].spec.containers[0].image}')).toBe(
      'nginx:1.27 nginx:1.27',
    )
    expect(await sh('kubectl rollout resume deploy/web')).toBe('deployment.apps/web resumed\n')
    await sh('kubectl rollout status deploy/web')
    await sh.eventually(
      'kubectl get pods -o jsonpath={.items[*].spec.containers[0].image}',
      /^nginx:1\.28 nginx:1\.28$/,
    )
  })

  it('rollout restart', async () => {
    const sh = await lab.open(kubectl, 'restart')
    await sh('kubectl create -f -', webDeployment())
    await sh('kubectl rollout status deploy/web')
    const before = await sh('kubectl get rs -o name')
    expect(await sh('kubectl rollout restart deploy/web')).toBe('deployment.apps/web restarted\n')
    await sh('kubectl rollout status deploy/web')
    expect((await sh('kubectl get rs -o name')).split('\n')).toHaveLength(before.split('\n').length + 1)
    expect(await sh('kubectl get deploy web -o jsonpath={.spec.template.metadata.annotations}')).toMatch(
      /"kubectl\.kubernetes\.io\/restartedAt":"20/,
    )
  })

  it('rollout of StatefulSets and DaemonSets', async () => {
    const sh = await lab.open(kubectl, 'others')
    const template =
      'selector: {matchLabels: {app: x}}\n  template: {metadata: {labels: {app: x}}, spec: {terminationGracePeriodSeconds: 0, containers: [{name: c, image: "nginx:1.27"}]}}\n'
    await sh(
      'kubectl create -f -',
      `apiVersion: apps/v1\nkind: StatefulSet\nmetadata: {name: sts}\nspec:\n  serviceName: x\n  replicas: 2\n  ${template}`,
    )
    await sh(
      'kubectl create -f -',
      `apiVersion: apps/v1\nkind: DaemonSet\nmetadata: {name: ds}\nspec:\n  ${template}`,
    )
    expect(await sh('kubectl rollout status sts/sts --timeout=30s')).toMatch(
      /partitioned roll out complete: 2 new pods have been updated|statefulset rolling update complete 2 pods/,
    )
    expect(await sh('kubectl rollout status ds/ds --timeout=30s')).toContain(
      'daemon set "ds" successfully rolled out',
    )
    expect(await sh('kubectl get ds ds')).toMatch(
      /DESIRED +CURRENT +READY +UP-TO-DATE +AVAILABLE +NODE SELECTOR +AGE\nds +3 +3 +3 +3 +3 +<none>/,
    )
    await sh('kubectl set image ds/ds c=nginx:1.28; kubectl set image sts/sts c=nginx:1.28')
    await sh('kubectl rollout status ds/ds --timeout=60s; kubectl rollout status sts/sts --timeout=60s')
    expect(await sh('kubectl rollout history ds/ds')).toMatch(/REVISION +CHANGE-CAUSE\n1 +<none>\n2 +<none>/)
    expect(await sh('kubectl rollout undo ds/ds')).toBe('daemonset.apps/ds rolled back\n')
    expect(await sh('kubectl rollout undo sts/sts')).toBe('statefulset.apps/sts rolled back\n')
    await sh('kubectl rollout status ds/ds --timeout=60s; kubectl rollout status sts/sts --timeout=60s')
    expect(
      await sh('kubectl get sts,ds -o jsonpath={.items[*].spec.template.spec.containers[0].image}'),
    ).toBe('nginx:1.27 nginx:1.27')
    expect(await sh('kubectl rollout undo ds/ds --to-revision=3')).toMatch(
      /^daemonset.apps\/ds skipped rollback/,
    )
    expect(await sh('kubectl rollout undo sts/sts --to-revision=3')).toMatch(
      /^statefulset.apps\/sts skipped rollback/,
    )
  })

  it('wait', async () => {
    const sh = await lab.open(kubectl, 'wait')
    await sh('kubectl create -f -', webDeployment())
    expect(await sh('kubectl wait --for=condition=Available deploy/web --timeout=30s')).toBe(
      'deployment.apps/web condition met\n',
    )
    expect(await sh('kubectl wait --for=condition=Ready pod -l app=web --timeout=30s')).toMatch(
      /^(pod\/web-\S+ condition met\n){2}$/,
    )
    expect(await sh.expectFailure('kubectl wait --for=condition=Nope deploy/web --timeout=1s')).toContain(
      'timed out waiting for the condition on deployments/web',
    )
    if (minor >= 23) {
      expect(
        await sh(`kubectl wait --for=jsonpath='{.status.readyReplicas}'=2 deploy/web --timeout=10s`),
      ).toBe('deployment.apps/web condition met\n')
      expect(
        await sh.expectFailure(
          `kubectl wait --for=jsonpath='{.status.readyReplicas}'=9 deploy/web --timeout=1s`,
        ),
      ).toContain('timed out')
    }
    await sh('kubectl create -f -', scriptPod('brief', 'sleep 600'))
    const waiting = sh.start('exec kubectl wait --for=delete pod/brief --timeout=30s')
    await new Promise((resolve) => setTimeout(resolve, 300))
    await sh('kubectl delete pod brief --wait=false')
    expect(await waiting.ended).toMatchObject({ code: 0, stdout: 'pod/brief condition met\n' })
    expect((await sh.run('kubectl wait --for=condition=Ready pod/none --timeout=1s')).stderr).toContain(
      'pods "none" not found',
    )
  })
})

/** Tests kubectl logs. */
import { describe, expect, it } from 'vitest'
import { scriptPod, webDeployment } from '../testing/manifests.ts'
import { minorOf, serverKubectls, useTestCluster } from '../testing/use-test-cluster.ts'

const lab = useTestCluster()

const KEEP_RUNNING = 'sleep 600'

describe.concurrent.each(serverKubectls())('kubectl $version', (kubectl) => {
  const minor = minorOf(kubectl)

  it('logs: all, --tail, --limit-bytes, --timestamps, --since', async () => {
    const sh = await lab.open(kubectl, 'logs')
    await sh(
      'kubectl create -f -',
      scriptPod('talk', `echo one; echo two >&2; sleep 2; echo three; ${KEEP_RUNNING}`),
    )
    await sh.eventually('kubectl logs talk', /three/)
    expect(await sh('kubectl logs talk')).toBe('one\ntwo\nthree\n')
    expect(await sh('kubectl logs talk --tail=1')).toBe('three\n')
    expect(await sh('kubectl logs talk --tail=0')).toBe('')
    expect(await sh('kubectl logs talk --limit-bytes=5')).toBe('one\nt')
    const [third] = (await sh('kubectl logs talk --timestamps --tail=1')).split(' ')
    expect(await sh(`kubectl logs talk --since-time=${third}`)).toBe('three\n')
    expect(await sh('kubectl logs talk --since=1h')).toBe('one\ntwo\nthree\n')
    await sh.eventually('kubectl logs talk --since=1s', /^$/)
    expect(await sh('kubectl logs talk --since-time=2100-01-01T00:00:00Z')).toBe('')
    expect(await sh('kubectl logs talk --timestamps --tail=1')).toMatch(
      /^20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z three\n$/,
    )
  })

  it('logs -f, until the end', async () => {
    const sh = await lab.open(kubectl, 'follow')
    await sh('kubectl create -f -', scriptPod('count', 'for n in 1 2 3 4 5; do echo $n; sleep 0.3; done'))
    await sh.eventually('kubectl get pod count', /Running/)
    expect(await sh('kubectl logs -f count')).toBe('1\n2\n3\n4\n5\n')
    await sh.eventually('kubectl get pod count', /Completed/)
    expect(await sh('kubectl logs count')).toBe('1\n2\n3\n4\n5\n')
  })

  it('logs --previous', async () => {
    const sh = await lab.open(kubectl, 'previous')
    await sh(
      'kubectl create -f -',
      scriptPod('crash', 'echo boom; exit 3').replace('restartPolicy: Never', 'restartPolicy: Always'),
    )
    expect(
      await sh.eventually(
        'kubectl get pod crash -o jsonpath="{.status.containerStatuses[0].lastState.terminated}"',
        /exitCode/,
      ),
    ).toMatch(/"exitCode":3.*"reason":"Error"/)
    await sh.eventually('kubectl logs crash --previous', /^boom\n$/)
    await sh.eventually('kubectl get pod crash', /CrashLoopBackOff|Error/)
    await sh('kubectl create -f -', scriptPod('calm', KEEP_RUNNING))
    await sh.eventually('kubectl get pod calm', /Running/)
    expect(await sh.expectFailure('kubectl logs calm -p')).toBe(
      'Error from server (BadRequest): previous terminated container "main" in pod "calm" not found\n',
    )
  })

  it('logs of deploy/x, -l, --prefix, -c, --all-containers', async () => {
    const sh = await lab.open(kubectl, 'many')
    await sh('kubectl create -f -', webDeployment({ command: ['sh', '-c', `echo hello; ${KEEP_RUNNING}`] }))
    await sh('kubectl rollout status deploy/web')
    await sh.eventually('kubectl logs deploy/web 2>/dev/null', /^hello\n$/)
    await sh.eventually('kubectl logs -l app=web', /^hello\nhello\n$/)
    expect(await sh('kubectl logs -l app=web --prefix')).toMatch(/^(\[pod\/web-\S+\/web\] hello\n){2}$/)
    const second = `  - name: side\n    image: busybox\n    command: [sh, -c, 'echo from the side; ${KEEP_RUNNING}']\n`
    await sh('kubectl create -f -', scriptPod('pair', `echo from the main; ${KEEP_RUNNING}`, second))
    await sh.eventually('kubectl logs pair -c side', /from the side/)
    await sh.eventually('kubectl logs pair --all-containers', /^from the main\nfrom the side\n$/)
    expect(await sh.expectFailure('kubectl logs pair -c nope')).toMatch(
      /container nope is not valid for pod pair/,
    )
    if (minor >= 27) expect((await sh.run('kubectl logs pair')).stdout).toBe('from the main\n')
  })

  it('logs of missing pods and containers', async () => {
    const sh = await lab.open(kubectl, 'none')
    expect(await sh.expectFailure('kubectl logs nope')).toMatch(/(pods|deployments.apps) "nope" not found/)
    await sh('kubectl run stuck --image=registry.example/missing:1')
    await sh.eventually('kubectl get pod stuck', /ErrImagePull|ImagePullBackOff/)
    expect(await sh.expectFailure('kubectl logs stuck')).toBe(
      'Error from server (BadRequest): container "stuck" in pod "stuck" is waiting to start: trying and failing to pull image\n',
    )
  })
})

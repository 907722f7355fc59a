/** Tests kubectl exec, attach, cp, port-forward and debug, which need streams in both directions. */
import { describe, expect, it } from 'vitest'
import { scriptPod, webDeployment } from '../testing/manifests.ts'
import type { Shell } from '../testing/shell.ts'
import { minorOf, thoroughKubectls, useTestCluster } from '../testing/use-test-cluster.ts'

const lab = useTestCluster()

/** A server that answers with the path of the request. */
const ECHO = `
const server = require('node:http').createServer((request, response) => response.end('you asked for ' + request.url))
server.listen(80, () => console.log('listening'))`

const startPod = async (sh: Shell, name = 'box', script = 'sleep 600', fields = ''): Promise<void> => {
  await sh('kubectl create -f -', scriptPod(name, script, fields))
  await sh.eventually(`kubectl get pod ${name}`, /Running/)
}

/** Reads the local port from the output of port-forward. */
const parseLocalPort = (output: string): number =>
  Number(/Forwarding from 127\.0\.0\.1:(\d+)/.exec(output)![1])

/** kubectl 1.30 and later are tested with both protocols; older versions use SPDY. */
const protocols = (minor: number): [string, string][] =>
  minor < 30
    ? [['SPDY', '']]
    : [
        ['WebSocket', 'KUBECTL_REMOTE_COMMAND_WEBSOCKETS=true KUBECTL_PORT_FORWARD_WEBSOCKETS=true '],
        ['SPDY', 'KUBECTL_REMOTE_COMMAND_WEBSOCKETS=false KUBECTL_PORT_FORWARD_WEBSOCKETS=false '],
      ]

describe.concurrent.each(thoroughKubectls())('kubectl $version', (kubectl) => {
  const minor = minorOf(kubectl)

  describe.each(protocols(minor))('over %s', (protocol, settings) => {
    const open = (topic: string): Promise<Shell> => lab.open(kubectl, `${topic}-${protocol.toLowerCase()}`)
    const run = `${settings}kubectl`

    it('exec: output, errors, exit codes, stdin', async () => {
      const sh = await open('exec')
      await startPod(sh)
      expect(await sh.run(`${run} exec box -- sh -c "echo out; echo err >&2"`)).toEqual({
        code: 0,
        stdout: 'out\n',
        stderr: 'err\n',
      })
      expect(await sh.expectFailure(`${run} exec box -- sh -c "exit 7"`, 7)).toBe(
        'command terminated with exit code 7\n',
      )
      expect(await sh(`${run} exec -i box -- cat`, 'over there\n')).toBe('over there\n')
      expect(await sh(`${run} exec -i box -- wc -c`, 'x'.repeat(300_000))).toMatch(/^\s*300000\n$/)
      expect(await sh(`${run} exec box -- sh -c "head -c 300000 /dev/zero" | wc -c`)).toMatch(/^\s*300000\n$/)
      expect(await sh.expectFailure(`${run} exec box -- no-such-program`, 1)).toMatch(
        /Internal error occurred: error executing command in container: failed to exec in container: failed to start exec "[0-9a-f]{64}": OCI runtime exec failed: .*executable file not found in \$PATH: unknown/,
      )
      expect(await sh.expectFailure(`${run} exec nope -- true`)).toContain('pods "nope" not found')
    })

    it('exec -it: a terminal, and its size', async () => {
      const sh = await open('tty')
      await startPod(sh)
      const inTerminal = `script -qec 'stty cols 101 rows 43; ${run} exec -it box -- sh -c "sleep 0.5; test -t 0 && stty size; exit 5"' /dev/null`
      const { code, stdout } = await sh.run(inTerminal)
      expect(stdout).toContain('43 101')
      expect(code).toBe(5)
    })

    it('attach', async () => {
      const sh = await open('attach')
      await startPod(
        sh,
        'echoing',
        'while read line; do echo "heard $line"; test "$line" = stop && exit 0; done',
        '    stdin: true\n',
      )
      expect(
        await sh(`(sleep 0.5; echo one; sleep 0.2; echo stop; sleep 1) | ${run} attach -i echoing`),
      ).toMatch(/heard one\nheard stop\n/)
      await sh.eventually('kubectl get pod echoing', /Completed/)
    })

    it('cp: a file and a folder, in both directions', async () => {
      const sh = await open('cp')
      await startPod(sh)
      await sh('mkdir -p folder/deep; head -c 200000 /dev/urandom > folder/deep/data; echo text > file')
      await sh(`${run} exec box -- mkdir there`)
      await sh(`${run} cp file box:there/renamed`)
      expect(await sh(`${run} exec box -- cat there/renamed`)).toBe('text\n')
      await sh(`${run} cp folder box:there -c main`)
      await sh(`${run} cp box:there/folder back`)
      expect(await sh('cmp folder/deep/data back/deep/data && echo same')).toBe('same\n')
      await sh(`${run} cp box:there/renamed file-back`)
      expect(await sh('cat file-back')).toBe('text\n')
      expect(await sh.expectFailure(`${run} cp nope box:there/x`)).toContain(
        minor < 24 ? 'nope' : "error: nope doesn't exist in local filesystem",
      )
    })

    it('port-forward to a pod, a service and a deployment', async () => {
      const sh = await open('forward')
      await sh(
        'kubectl create -f -',
        webDeployment({ replicas: 1, image: 'node:22', command: ['node', '-e', ECHO] }),
      )
      await sh(
        'kubectl rollout status deploy/web; kubectl expose deployment web --port=8080 --target-port=http',
      )
      await sh.eventually('kubectl logs deploy/web', /listening/)
      const pod = (await sh('kubectl get pods -o name')).trim()
      for (const [target, remote] of [
        [pod, 80],
        ['service/web', 8080],
        ['deployment/web', 'http'],
      ]) {
        const forward = sh.start(`${settings}exec kubectl port-forward ${target} :${remote}`)
        const local = parseLocalPort(await forward.until(/Forwarding from 127/))
        const responses = await Promise.all(
          ['/a', '/b', '/c'].map(async (path) => (await fetch(`http://127.0.0.1:${local}${path}`)).text()),
        )
        expect(responses).toEqual(['you asked for /a', 'you asked for /b', 'you asked for /c'])
        await forward.stop()
      }
    })

    it('port-forward to a closed port', async () => {
      const sh = await open('closed-port')
      await startPod(sh)
      const forward = sh.start(`${settings}exec kubectl port-forward pod/box :1`)
      const local = parseLocalPort(await forward.until(/Forwarding from 127/))
      await expect(fetch(`http://127.0.0.1:${local}`)).rejects.toThrow()
      expect(await forward.until(/an error occurred forwarding/)).toContain('connection refused')
      await forward.stop()
    })
  })

  it('exec in a given container and in a workload, and its errors', async () => {
    const sh = await lab.open(kubectl, 'exec-target')
    const second = '  - name: side\n    image: busybox\n    command: [sh, -c, sleep 600]\n'
    await startPod(sh, 'pair', 'sleep 600', second)
    await sh('kubectl exec pair -c side -- touch /mnt/here')
    expect(await sh('kubectl exec pair -c side -- ls /mnt')).toBe('here\n')
    expect(await sh('kubectl exec pair -c main -- ls /mnt')).toBe('')
    expect(await sh.expectFailure('kubectl exec pair -c nope -- ls')).toContain('container nope')
    await sh('kubectl create -f -', webDeployment({ replicas: 1, command: ['sleep', '600'] }))
    await sh('kubectl rollout status deploy/web')
    expect(await sh('kubectl exec deploy/web -- echo in a deployment')).toBe('in a deployment\n')
    expect(await sh(`kubectl exec pair -c main -- sh -c 'echo $KUBERNETES_SERVICE_HOST'`)).toBe('10.96.0.1\n')
  })

  if (minor >= 25)
    it('debug: an ephemeral container, and a copy', async () => {
      const sh = await lab.open(kubectl, 'debug')
      await startPod(sh)
      await sh('kubectl debug box --image=busybox --container=look -- sh -c "echo looking; sleep 600"')
      await sh.eventually(
        'kubectl get pod box -o jsonpath="{.status.ephemeralContainerStatuses[0].state}"',
        /running/,
      )
      expect(await sh.eventually('kubectl logs box -c look', /looking/)).toBe('looking\n')
      expect(await sh('kubectl get pod box -o jsonpath="{.spec.ephemeralContainers[0].name}"')).toBe('look')
      await sh('kubectl debug box --copy-to=twin --set-image=main=busybox:1.37 --same-node')
      await sh.eventually('kubectl get pod twin', /Running/)
      expect(await sh('kubectl get pod twin -o jsonpath="{.spec.containers[0].image}"')).toBe('busybox:1.37')
      expect(await sh('kubectl debug node/node1 --image=busybox -- true 2>&1')).toMatch(
        /node-debugger-node1-\w{5}/,
      )
    })
})

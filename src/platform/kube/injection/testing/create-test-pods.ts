/** Creates pods in network namespaces with a router between them, as in a cluster. */
import { type ChildProcess, spawn } from 'node:child_process'
import { createNetworkNamespace, type NetworkNamespace, runChecked } from '#machine/linux'
import type { PodProcessView } from '#platform/kube/ports'

export interface TestPod {
  readonly view: PodProcessView
  readonly ip: string
  readonly namespace: NetworkNamespace
  /** Runs a program in the pod's network and returns its output. */
  run(program: string, ...args: string[]): Promise<string>
  /** Starts a program in the pod's network; `close` kills it. */
  start(program: string, ...args: string[]): ChildProcess
}

export interface TestPods {
  readonly pods: readonly TestPod[]
  close(): void
}

export const createTestPods = async (count: number): Promise<TestPods> => {
  const router = createNetworkNamespace()
  const children: ChildProcess[] = []
  const runIpBatch = (namespace: NetworkNamespace, lines: readonly string[]): Promise<string> =>
    runChecked('ip', ['-batch', '-'], { namespace, input: `${lines.join('\n')}\n` })

  const createPod = async (index: number): Promise<TestPod> => {
    const namespace = createNetworkNamespace()
    const ip = `10.244.0.${index + 2}`
    await runIpBatch(router, [
      `link add v${index} type veth peer name eth0 netns ${namespace.path}`,
      `addr add 169.254.1.1/32 dev v${index}`,
      `link set v${index} up`,
      `route add ${ip}/32 dev v${index}`,
    ])
    await runIpBatch(namespace, [
      'link set lo up',
      `addr add ${ip}/32 dev eth0`,
      'link set eth0 up',
      'route add 169.254.1.1 dev eth0',
      'route add default via 169.254.1.1 dev eth0',
    ])
    return {
      view: {
        uid: `pod-${index}`,
        ip,
        nodeName: 'node',
        networkNamespacePath: namespace.path,
        containers: [],
      },
      ip,
      namespace,
      run: (program, ...args) => runChecked(program, args, { namespace }),
      start(program, ...args) {
        const child = namespace.inside(() => spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'] }))
        children.push(child)
        return child
      },
    }
  }

  await runIpBatch(router, ['link set lo up'])
  await runChecked('sysctl', ['-qw', 'net.ipv4.ip_forward=1'], { namespace: router })
  const pods: TestPod[] = []
  for (let index = 0; index < count; index += 1) pods.push(await createPod(index))
  return {
    pods,
    close() {
      for (const child of children) child.kill('SIGKILL')
      for (const pod of pods) pod.namespace.close()
      router.close()
    },
  }
}

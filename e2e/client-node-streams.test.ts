/** Tests the streams of @kubernetes/client-node: exec, attach, logs, port-forward and copies. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import {
  AppsV1Api,
  Attach,
  CoreV1Api,
  Cp,
  Exec,
  type KubeConfig,
  Log,
  PortForward,
  type V1Status,
} from '@kubernetes/client-node'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { clientConfig } from './testing/client-config.ts'
import { createTestCluster, type TestCluster } from './testing/test-cluster.ts'

const namespace = 'default'
const pod = 'parrot'

const ECHO_PORT = 8080
/** Answers with the path of the request; ready once it listens. */
const echoContainer = {
  name: 'echo',
  image: 'node:22',
  command: [
    'node',
    '-e',
    `require('node:http').createServer((request, response) => response.end('you asked for ' + request.url)).listen(${ECHO_PORT})`,
  ],
  readinessProbe: { tcpSocket: { port: ECHO_PORT }, periodSeconds: 1 },
}

let cluster: TestCluster
let config: KubeConfig

/** Returns a stream, and a function that returns all text written to it. */
const createCollector = () => {
  const stream = new PassThrough()
  let text = ''
  stream.on('data', (chunk) => {
    text += chunk
  })
  return { stream, text: () => text }
}

beforeAll(async () => {
  cluster = await createTestCluster('client-node-streams')
  config = clientConfig(cluster)
  const core = config.makeApiClient(CoreV1Api)
  const repeat = 'while read line; do echo "$line again"; done'
  await core.createNamespacedPod({
    namespace,
    body: {
      metadata: { name: pod, namespace, labels: { app: 'parrot' } },
      spec: {
        terminationGracePeriodSeconds: 1,
        containers: [
          {
            name: 'talks',
            image: 'busybox:1.36',
            command: ['sh', '-c', 'echo one; echo two; exec sleep 100000'],
          },
          { name: 'listens', image: 'busybox:1.36', stdin: true, command: ['sh', '-c', repeat] },
          echoContainer,
        ],
      },
    },
  })
  const checkReady = async () => {
    const { status } = await core.readNamespacedPodStatus({ name: pod, namespace })
    if (!status?.containerStatuses?.every(({ ready }) => ready))
      throw new Error(`the pod is ${status?.phase}`)
  }
  await vi.waitFor(checkReady, { timeout: 20_000 })
})
afterAll(() => cluster?.close())

/** Runs a command in the container `talks`. */
const exec = async (command: string[], { stdin, tty = false }: { stdin?: Readable; tty?: boolean } = {}) => {
  const [out, err] = [createCollector(), createCollector()]
  const status = await new Promise<V1Status>((resolve, reject) => {
    new Exec(config)
      .exec(
        namespace,
        pod,
        'talks',
        command,
        out.stream,
        tty ? null : err.stream,
        stdin ?? null,
        tty,
        resolve,
      )
      .catch(reject)
  })
  return { status, stdout: out.text(), stderr: err.text() }
}

describe('Exec', () => {
  it('separates the streams, and returns the exit code', async () => {
    expect(await exec(['sh', '-c', 'echo out; echo err >&2'])).toMatchObject({
      status: { status: 'Success' },
      stdout: 'out\n',
      stderr: 'err\n',
    })
    expect((await exec(['sh', '-c', 'exit 4'])).status).toMatchObject({
      status: 'Failure',
      reason: 'NonZeroExitCode',
      message: 'command terminated with non-zero exit code: command terminated with exit code 4',
      details: { causes: [{ reason: 'ExitCode', message: '4' }] },
    })
  })

  it('passes all input', async () => {
    const text = 'all of it\n'.repeat(50_000)
    const { stdout } = await exec(['cat'], {
      stdin: Readable.from([text.slice(0, 9), text.slice(9)], { objectMode: false }),
    })
    expect(stdout).toBe(text)
  })

  it('provides a terminal', async () => {
    expect((await exec(['sh', '-c', 'test -t 1 && echo terminal'], { tty: true })).stdout).toBe(
      'terminal\r\n',
    )
  })

  it('is rejected if the pod does not exist', async () => {
    const { stream } = createCollector()
    await expect(
      new Exec(config).exec(namespace, 'nobody', 'talks', 'true', stream, null, null, false),
    ).rejects.toMatchObject({ message: expect.stringContaining('404') })
  })
})

describe('Attach', () => {
  it('attaches to the main process', async () => {
    const { stream, text } = createCollector()
    const stdin = new PassThrough()
    const socket = await new Attach(config).attach(namespace, pod, 'listens', stream, null, stdin, false)
    stdin.write('polly\n')
    await expect.poll(text).toBe('polly again\n')
    socket.close()
  })
})

describe('Log', () => {
  it('reads the whole log or a part', async () => {
    const log = new Log(config)
    const whole = createCollector()
    await log.log(namespace, pod, 'talks', whole.stream)
    await expect.poll(whole.text).toBe('one\ntwo\n')
    const last = createCollector()
    await log.log(namespace, pod, 'talks', last.stream, { tailLines: 1, timestamps: true })
    await expect.poll(last.text).toMatch(/^\d{4}-\d\d-\d\dT\S+Z two\n$/)
  })

  it('follows until the end', async () => {
    const command = ['sh', '-c', 'echo first; sleep 0.5; echo last']
    await config.makeApiClient(CoreV1Api).createNamespacedPod({
      namespace,
      body: {
        metadata: { name: 'song', namespace },
        spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'busybox:1.36', command }] },
      },
    })
    const { stream, text } = createCollector()
    const follow = () => new Log(config).log(namespace, 'song', 'main', stream, { follow: true })
    await vi.waitFor(follow, { timeout: 20_000 })
    await expect.poll(text).toContain('first\n')
    await expect.poll(() => stream.readableEnded, { timeout: 10_000 }).toBe(true)
    expect(text()).toBe('first\nlast\n')
  })

  it('is rejected for a container that does not exist', async () => {
    await expect(
      new Log(config).log(namespace, pod, 'nobody', createCollector().stream),
    ).rejects.toMatchObject({
      code: 400,
    })
  })
})

describe('PortForward', () => {
  /** Returns a stream with a request. It stays open, because the client disconnects as soon as its input ends. */
  const requestStream = (path: string) => {
    const stream = new PassThrough()
    stream.write(`GET ${path} HTTP/1.0\r\n\r\n`)
    return stream
  }

  it('connects to a pod', async () => {
    const { stream, text } = createCollector()
    await new PortForward(config).portForward(
      namespace,
      pod,
      [ECHO_PORT],
      stream,
      null,
      requestStream('/seed'),
    )
    await expect.poll(text).toContain('you asked for /seed')
  })

  it('reports that nothing listens on a port', async () => {
    const [out, err] = [createCollector(), createCollector()]
    await new PortForward(config).portForward(namespace, pod, [1], out.stream, err.stream, new PassThrough())
    await expect.poll(err.text).toContain('connection refused')
  })

  it('finds a pod behind a Service and a Deployment', async () => {
    await config.makeApiClient(CoreV1Api).createNamespacedService({
      namespace,
      body: {
        metadata: { name: 'parrot', namespace },
        spec: { selector: { app: 'parrot' }, ports: [{ port: 80 }] },
      },
    })
    const forward = new PortForward(config)
    const service = createCollector()
    await forward.portForwardService(
      namespace,
      'parrot',
      [ECHO_PORT],
      service.stream,
      null,
      requestStream('/service'),
    )
    await expect.poll(service.text).toContain('you asked for /service')

    const apps = config.makeApiClient(AppsV1Api)
    await apps.createNamespacedDeployment({
      namespace,
      body: {
        metadata: { name: 'flock', namespace },
        spec: {
          selector: { matchLabels: { app: 'flock' } },
          template: {
            metadata: { labels: { app: 'flock' } },
            spec: { containers: [echoContainer] },
          },
        },
      },
    })
    await expect
      .poll(
        async () => (await apps.readNamespacedDeployment({ name: 'flock', namespace })).status?.readyReplicas,
        {
          timeout: 20_000,
        },
      )
      .toBe(1)
    const deployment = createCollector()
    await forward.portForwardDeployment(
      namespace,
      'flock',
      [ECHO_PORT],
      deployment.stream,
      null,
      requestStream('/deployment'),
    )
    await expect.poll(deployment.text).toContain('you asked for /deployment')
  })
})

describe('Cp', () => {
  it('copies in both directions', async () => {
    const createFolder = (name: string): string => {
      const path = join(cluster.home, name)
      mkdirSync(path)
      return path
    }
    const [here, back] = [createFolder('here'), createFolder('back')]
    const content = 'seeds\n'.repeat(40_000)
    writeFileSync(join(here, 'sack.txt'), content)
    const cp = new Cp(config)
    await cp.cpToPod(namespace, pod, 'talks', here, '/mnt')
    const readCopy = async (): Promise<string> => (await exec(['cat', '/mnt/sack.txt'])).stdout
    await expect.poll(readCopy, { timeout: 10_000 }).toBe(content)
    await cp.cpFromPod(namespace, pod, 'talks', 'sack.txt', back, '/mnt')
    await expect.poll(() => readIfExists(join(back, 'sack.txt')), { timeout: 10_000 }).toBe(content)
  })
})

/** Returns an empty text if the file does not exist. */
const readIfExists = (path: string): string => {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

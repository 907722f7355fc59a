/** Tests the effects of IOChaos on writes and reads in the pod. */
import { describe, expect, it } from 'vitest'
import { within } from '../testing/measure.ts'
import { peerContainer, podsNamed, useFaultLab } from '../testing/use-fault-lab.ts'

const lab = useFaultLab([
  {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'files', labels: { app: 'files' } },
    spec: {
      terminationGracePeriodSeconds: 0,
      containers: [{ ...peerContainer, volumeMounts: [{ name: 'data', mountPath: '/data' }] }],
      volumes: [{ name: 'data', emptyDir: {} }],
    },
  },
])

const onFiles = { ...podsNamed('files'), volumePath: '/data' }

/** Resolves to the durations in seconds of `count` concurrent calls, each on a separate open file. */
const measureCalls = (folder: string, call: 'write' | 'read', count: number): Promise<number[]> =>
  lab.python(
    'files',
    `
import json, os, threading, time
from concurrent.futures import ThreadPoolExecutor
os.makedirs('${folder}', exist_ok=True)
start = threading.Barrier(${count})
def time_call(number):
    file = os.open(f'${folder}/{number}', os.O_RDWR | os.O_CREAT)
    start.wait()
    begin = time.monotonic()
    ${call === 'write' ? "os.write(file, b'x')" : 'os.read(file, 1)'}
    seconds = time.monotonic() - begin
    os.close(file)
    return seconds
with ThreadPoolExecutor(${count}) as pool:
    print(json.dumps(list(pool.map(time_call, range(${count})))))
`,
  )

/** Resolves to the result of a Python expression, or to the name of its error. */
const outcomeOf = (expression: string): Promise<unknown> =>
  lab.python(
    'files',
    `
import errno, json, os
try:
    print(json.dumps(${expression}))
except OSError as error:
    print(json.dumps(errno.errorcode[error.errno]))
`,
  )

const removeFully = async (name: string, before: object): Promise<void> => {
  expect(await lab.footprint('files')).not.toEqual(before)
  expect(await lab.remove('IOChaos', name)).toBeLessThan(1000)
  expect(await lab.footprint('files')).toEqual(before)
}

describe('latency', () => {
  it('of 5 s delays half of the writes below a path', async () => {
    const before = await lab.footprint('files')
    const spec = { ...onFiles, action: 'latency', delay: '5s', path: '/data/slow/**', methods: ['write'] }
    await lab.exec('files', 'mkdir -p /data/slow')
    await lab.inject('IOChaos', 'slow', { ...spec, percent: 50 })
    const [writes, outside, reads] = await Promise.all([
      measureCalls('/data/slow', 'write', 100),
      measureCalls('/data/quick', 'write', 20),
      measureCalls('/data/slow-not', 'read', 20),
    ])
    const slow = writes.filter((seconds) => seconds >= 5)
    // By chance, the count is outside these bounds once in 10^5 runs.
    expect(slow.length).toSatisfy(within(28, 72))
    expect(Math.max(...slow)).toBeLessThan(7)
    expect(Math.max(...writes.filter((seconds) => seconds < 5))).toBeLessThan(2)
    expect(Math.max(...outside, ...reads)).toBeLessThan(2)
    expect(Math.max(...(await measureCalls('/data/slow', 'read', 20)))).toBeLessThan(2)
    await removeFully('slow', before)
    expect(Math.max(...(await measureCalls('/data/slow', 'write', 40)))).toBeLessThan(1)
  })

  it('releases waiting calls when it is removed', async () => {
    const spec = { ...onFiles, action: 'latency', delay: '50s', methods: ['write'] }
    await lab.inject('IOChaos', 'stuck', spec)
    const waiting = measureCalls('/data/stuck', 'write', 3)
    await new Promise((resolve) => setTimeout(resolve, 1000))
    await lab.remove('IOChaos', 'stuck')
    const removed = performance.now()
    expect(Math.max(...(await waiting))).toBeLessThan(30)
    expect(performance.now() - removed).toBeLessThan(2000)
  })
})

it.each([
  [28, 'ENOSPC', 'No space left on device'],
  [5, 'EIO', 'Input/output error'],
])(
  'a fault with errno %i returns %s for the selected calls on the selected files',
  async (errno, name, message) => {
    await lab.exec('files', 'mkdir -p /data/bad /data/good; echo kept > /data/bad/old')
    const before = await lab.footprint('files')
    const spec = { ...onFiles, action: 'fault', errno, path: '/data/bad/**', methods: ['write'] }
    await lab.inject('IOChaos', 'bad', spec)
    expect(await outcomeOf("os.write(os.open('/data/bad/new', os.O_WRONLY | os.O_CREAT), b'x')")).toBe(name)
    expect(await outcomeOf("os.write(os.open('/data/good/new', os.O_WRONLY | os.O_CREAT), b'x')")).toBe(1)
    expect(await outcomeOf("open('/data/bad/old').read()")).toBe('kept\n')
    expect(await lab.sh.expectFailure('kubectl exec files -- cp /etc/hostname /data/bad/other')).toContain(
      message,
    )
    await removeFully('bad', before)
    expect(await outcomeOf("os.write(os.open('/data/bad/new', os.O_WRONLY | os.O_CREAT), b'x')")).toBe(1)
  },
)

it('attrOverride changes the reported attributes', async () => {
  const before = await lab.footprint('files')
  await lab.exec('files', 'echo text > /data/plain; chmod 644 /data/plain')
  const spec = { ...onFiles, action: 'attrOverride', path: '/data/plain', attr: { perm: 72 } }
  await lab.inject('IOChaos', 'odd', spec)
  expect(await outcomeOf("os.stat('/data/plain').st_mode & 0o777")).toBe(72)
  await removeFully('odd', before)
  expect(await outcomeOf("os.stat('/data/plain').st_mode & 0o777")).toBe(0o644)
})

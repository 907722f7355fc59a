/** Tests the Ansible modules that work inside pods: k8s_exec, k8s_log and k8s_cp. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { play, type TaskReports } from './testing/play.ts'
import { createTestCluster, type TestCluster } from './testing/test-cluster.ts'
import { kubectls } from './tools.ts'

/** Larger than a WebSocket message, and than the chunks in which Ansible copies. */
const LARGE_TEXT = 'one of many lines\n'.repeat(100_000)

/** The folder in the container; `outside` is the folder on this machine. */
const inside = '/mnt'

let cluster: TestCluster
let report: TaskReports
let outside: string

beforeAll(async () => {
  cluster = await createTestCluster('ansible-inside-pods')
  outside = join(cluster.home, 'outside')
  mkdirSync(join(outside, 'tree', 'branch'), { recursive: true })
  writeFileSync(join(outside, 'tree', 'root.txt'), 'root\n')
  writeFileSync(join(outside, 'tree', 'branch', 'leaf.txt'), LARGE_TEXT)
  report = await play(cluster, 'inside-pods.yml', {
    variables: { inside, outside, leaf_size: LARGE_TEXT.length },
  })
})
afterAll(() => cluster?.close())

const readInside = async (path: string): Promise<string> => {
  const sh = await cluster.shell(kubectls().at(-1)!, 'default')
  return sh(`kubectl exec talker -c loud -- cat ${join(inside, path)}`)
}

describe('k8s_exec', () => {
  it('returns output and exit codes', () => {
    expect(report('a command')).toMatchObject({ changed: true, rc: 0, stdout: 'out\n', stderr: 'err\n' })
    expect(report('a command that fails')).toMatchObject({ changed: true, rc: 3, stdout: 'before\n' })
  })

  it('reports missing pods and containers', () => {
    expect(report('a command in a missing pod')).toMatchObject({ failed: true })
    expect(report('a command in a missing pod').msg).toContain(
      'Failed to execute on pod nobody due to : (0)\nReason: Handshake status 404 Not Found',
    )
    expect(report('a command in a missing container').msg).toContain('Handshake status 400 Bad Request')
  })
})

describe('the kubectl connection plugin', () => {
  it('runs tasks inside a pod', () => {
    expect(report('a task inside a pod')).toMatchObject({ failed: true, rc: 5 })
  })
})

describe('k8s_log', () => {
  it('reads logs by pod, label and workload', () => {
    expect(report('the log of a pod')).toMatchObject({
      changed: false,
      log_lines: ['line 1', 'line 2', 'line 3', ''],
    })
    expect(report('the end of a log').log).toBe('line 3\n')
    expect(report('the logs of all containers').log).toBe('line 1\nline 2\nline 3\nhush\n')
    expect(report('the log of the pod with a label').log).toBe('hear ye\n')
    expect(report('the log of a deployment').log).toBe('hear ye\n')
  })

  it('reports missing pods and an unspecified container', () => {
    expect(report('a log without a container name').msg).toContain(
      'a container name must be specified for pod talker, choose one of: [loud quiet]',
    )
    expect(report('the log of a missing pod')).toMatchObject({
      failed: true,
      msg: 'Pod default/nobody not found.',
    })
  })
})

describe('k8s_cp', () => {
  it('copies into pods', async () => {
    expect(report('copy content into a pod').result).toBe(
      `Content successfully copied into ${inside}/note.txt on remote Pod`,
    )
    expect(await readInside('note.txt')).toBe('from outside\n')
    expect(report('copy a folder into a pod').changed).toBe(true)
    expect(await readInside('tree/root.txt')).toBe('root\n')
    expect(await readInside('tree/branch/leaf.txt')).toBe(LARGE_TEXT)
  })

  it('copies out of pods', () => {
    expect(report('copy a file out of a pod').changed).toBe(true)
    expect(readFileSync(join(outside, 'note-back.txt'), 'utf8')).toBe('from outside\n')
    expect(report('copy a folder out of a pod').changed).toBe(true)
    expect(readFileSync(join(outside, 'tree-back', 'branch', 'leaf.txt'), 'utf8')).toBe(LARGE_TEXT)
  })

  it('reports missing files', () => {
    expect(report('copy a missing file out of a pod')).toMatchObject({
      failed: true,
      msg: `${inside}/missing does not exist in remote pod filesystem`,
    })
  })
})

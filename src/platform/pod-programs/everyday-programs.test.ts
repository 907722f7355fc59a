/** Tests the programs of containers: the same command lines in dash with the programs of this machine, and the parts that only a container has. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createTestContainer } from './testing/create-test-container.ts'

const INPUT = 'one 1\ntwo 2\nthree 3\n'
const MULTI_LINE = [
  'cat <<EOF\na $(echo b) $HOME "q" \\$x\nEOF\necho c',
  "X=1; cat <<'EOF'\na $X\nEOF",
  'cat <<-E\n\ta\n\t\tb\n\tE\necho c',
  "cat > f <<'END'\n#!/bin/sh\necho $1\nEND\nsh f hello",
  'if true\nthen\n  echo a\nfi\nfor i in 1 2\ndo\n echo $i\ndone',
  'f()\n{\n echo multi\n}\nf',
  'case x in\n  x)\n    echo x\n    ;;\n  y) echo y\nesac',
  'echo a\n\n# c\necho b \\\n  c',
  'echo a |\n cat &&\n echo b',
  'a=1\nnosuch\necho $a',
  'echo ok\nif',
  `x='multi\nline'; echo "$x"; echo $x`,
  'cat <<A; cat <<B\n1\nA\n2\nB',
  'while read x; do echo "<$x>"; done <<E\na b\nc\nE',
]
const COMMAND_LINES = readFileSync(join(import.meta.dirname, 'testing', 'command-lines.txt'), 'utf8')
  .split('\n')
  .filter((line) => line !== '')

const runReal = (text: string): object => {
  const folder = mkdtempSync(join(tmpdir(), 'remedium-shell-'))
  try {
    const env = { PATH: '/usr/bin:/bin', HOME: '/root', HOSTNAME: 'pod', LC_ALL: 'C.UTF-8', TZ: 'UTC' }
    const options = { argv0: 'sh', cwd: folder, input: INPUT, encoding: 'utf8', env } as const
    const { status, stdout, stderr } = spawnSync('/bin/sh', ['-c', text], options)
    return { code: status, out: stdout, err: stderr }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const runSimulated = (text: string): Promise<object> => {
  const container = createTestContainer()
  container.files.makeFolder('/tmp/w')
  return container.run(['sh', '-c', text], { folder: '/tmp/w', input: INPUT })
}

it('prints and exits as dash and the programs of GNU do', { timeout: 120_000 }, async () => {
  const lines = [...COMMAND_LINES, ...MULTI_LINE]
  expect(lines.length).toBeGreaterThan(300)
  for (const line of lines)
    expect({ line, ...(await runSimulated(line)) }).toEqual({ line, ...runReal(line) })
})

const SIDECAR = 'trap "exit 0" TERM; while :; do sleep 3600 & wait $!; done'
const SLOW_LOG = 'trap "exit 0" TERM; touch /data/slow.log; tail -n +1 -f /data/slow.log & wait'

it.each([SIDECAR, SLOW_LOG])('runs as the main program until it is terminated: %s', async (script) => {
  const container = createTestContainer()
  const main = container.startMain(['sh', '-c', script])
  await container.run(['sleep', '10000'])
  expect(container.processes.list()[0]).toEqual({ id: 1, command: ['sh', '-c', script] })
  container.processes.signal(1, 'TERM')
  await container.run(['sleep', '1'])
  expect(await main.ended).toBe(0)
})

it('prints what is appended to a followed file', async () => {
  const container = createTestContainer()
  const main = container.startMain(['sh', '-c', SLOW_LOG])
  await container.run(['sh', '-c', 'sleep 1; echo slow >> /data/slow.log; sleep 13'])
  expect(main.output()).toBe('slow\n')
})

it('ignores TERM without a trap as process 1, and keeps the id when it runs another program in its place', async () => {
  const container = createTestContainer()
  container.startMain(['sh', '-c', 'exec sleep 86400'])
  const outcome = await container.run([
    'sh',
    '-c',
    'sleep 1; kill -TERM 1; kill -INT 1; cat /proc/1/comm /proc/[0-9]*/comm',
  ])
  expect(outcome).toEqual({ code: 0, out: 'sleep\nsleep\nsh\n', err: '' })
})

it('leaves a process behind', async () => {
  const container = createTestContainer()
  container.startMain(['sleep', '86400'])
  await container.run(['sh', '-c', 'nohup sleep 3600 > /dev/null 2>&1 &'])
  expect(await container.run(['pgrep', '-a', 'sleep'])).toMatchObject({
    code: 0,
    out: '1 sleep 86400\n3 sleep 3600\n',
  })
})

it('changes settings of processes', async () => {
  const container = createTestContainer()
  container.startMain(['sleep', '86400'])
  const script =
    'prlimit --pid 1 --nofile=64:64; renice -n 19 -p 1; echo 500 > /proc/1/oom_score_adj; cat /proc/1/oom_score_adj'
  expect(await container.run(['sh', '-c', script])).toEqual({
    code: 0,
    out: '1 (process ID) old priority 0, new priority 19\n500\n',
    err: '',
  })
  expect(await container.run(['renice', '-n', '1', '-p', '99'])).toMatchObject({ code: 1 })
})

it('takes CPU time for a loop of programs that do not exist', async () => {
  const container = createTestContainer()
  const script = 'i=0; while [ $i -lt 200 ]; do nosuch & wait $!; i=$((i+1)); done 2>/dev/null'
  const before = container.clock.now()
  await container.run(['sh', '-c', script])
  expect(container.clock.now() - before).toBeGreaterThan(10)
})

it('fills a volume', async () => {
  const container = createTestContainer()
  const script = 'head -c 1048576 /dev/zero > /small/dump; test -s /small/dump'
  expect(await container.run(['sh', '-c', script])).toMatchObject({ code: 0 })
  expect(await container.run(['wc', '-c', '/small/dump'])).toMatchObject({ out: '8192 /small/dump\n' })
  expect(await container.run(['dd', 'if=/dev/zero', 'of=/small/x', 'bs=1k', 'count=1'])).toMatchObject({
    code: 1,
  })
})

it.each([
  ['ls -l', 'ls -l'],
  ['yes | head -n 1', 'yes in a pipeline'],
  ['tail -f x | grep a', 'tail -f x in a pipeline'],
  ["x=$'a'", 'a quotation of the form $"..." in a script'],
  ['df -h', 'df -h'],
  ['chrt -i 0 true', 'chrt -i 0 true'],
  ['echo 1 > /proc/1/limits', 'a change of the file /proc/1/limits'],
  ['find . -delete -name x', 'find . -delete -name x'],
  ['ps aux', 'ps aux'],
  ['cat /proc/meminfo', 'the file /proc/meminfo'],
  ['(sleep 5; echo late) &', 'commands in the background after the end of the shell'],
])('refuses %s', async (script, reason) => {
  const container = createTestContainer()
  container.startMain(['sleep', '86400'])
  await expect(container.run(['sh', '-c', script])).rejects.toThrow(reason)
})

/** Tests terminals that are received over a socket, with a program on the other side. */
import { spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createRealClock, sleep } from '#kit'
import { createTerminalReceiver, type PseudoTerminal } from './index.ts'

const clock = createRealClock()
let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'terminal-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

/** Creates a terminal, sends it to the socket and executes a shell in it. */
const SENDER = `
import fcntl, os, pty, socket, sys, termios
master, slave = pty.openpty()
s = socket.socket(socket.AF_UNIX)
s.connect(sys.argv[1])
socket.send_fds(s, [b'/dev/ptmx'], [master])
os.close(master)
os.setsid()
fcntl.ioctl(slave, termios.TIOCSCTTY, 0)
for n in range(3): os.dup2(slave, n)
os.execvp('sh', ['sh', '-c', sys.argv[2]])
`

const runInTerminal = async (script: string): Promise<PseudoTerminal> => {
  const receiver = createTerminalReceiver(folder, clock)
  spawn('python3', ['-c', SENDER, receiver.path, script], { stdio: 'ignore' })
  const terminal = await receiver.terminal
  expect(readdirSync(folder)).toEqual([])
  return terminal
}

it('passes on the output of the program, and ends when the program ends', async () => {
  const terminal = await runInTerminal('echo hello; test -t 1 && echo a terminal')
  expect(await text(terminal.output)).toBe('hello\r\na terminal\r\n')
  terminal.close()
})

it('forwards input and size', async () => {
  const terminal = await runInTerminal('read go; stty size; read again; stty size')
  terminal.resize({ columns: 101, rows: 43 })
  terminal.input.write('go\n')
  await sleep(clock, 100)
  terminal.resize({ columns: 80, rows: 24 })
  terminal.input.write('go\n')
  expect((await text(terminal.output)).replaceAll('go\r\n', '')).toBe('43 101\r\n24 80\r\n')
  terminal.close()
})

it('neither blocks nor loses input that arrives faster than the program reads it', async () => {
  const terminal = await runInTerminal('stty raw -echo; echo ready; sleep 0.3; head -c 200000 | wc -c')
  await new Promise((resolve) => terminal.output.once('data', resolve))
  for (let sent = 0; sent < 200_000; sent += 20_000) terminal.input.write('x'.repeat(20_000))
  expect(await text(terminal.output)).toContain('200000')
  terminal.close()
})

it('removes its socket when the receiver is closed', async () => {
  const receiver = createTerminalReceiver(folder, clock)
  receiver.close()
  await expect(receiver.terminal).rejects.toThrow('the terminal receiver was closed')
  expect(readdirSync(folder)).toEqual([])
  expect(() => createTerminalReceiver(`/${'x'.repeat(200)}`, clock)).toThrow('is too long')
})

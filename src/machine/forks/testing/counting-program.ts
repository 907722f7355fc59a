/** A program for tests, which forks twice: each level keeps the words of its orders. */
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { connectToSupervisor, continueInForks, type SupervisorLink } from '../index.ts'

const root = connectToSupervisor()
const words: string[] = ['root']

const first = await continueInForks<string>(root)
words.push(first.order)

const second = await continueInForks<string>(first.link)
words.push(second.order)

const answer = async (link: SupervisorLink, message: unknown): Promise<void> => {
  if (message === 'die') process.kill(process.pid, 'SIGKILL')
  if (message === 'exit') process.exit(3)
  if (message === 'hang') for (;;);
  words.push(String(message))
  // Timers, promises, the thread pool and the garbage collector work.
  await new Promise((resolve) => setTimeout(resolve, 1))
  const file = await readFile(import.meta.filename)
  const garbage = Array.from({ length: 200_000 }, (_, index) => ({ index }))
  link.send({
    words,
    pid: process.pid,
    hash: createHash('sha256').update(file).digest('hex'),
    count: garbage.length,
  })
}

second.link.onMessage((message) => void answer(second.link, message))

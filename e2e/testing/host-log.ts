/** The output of a program on the host, line by line, as the log of a container. */
import { Readable } from 'node:stream'
import type { ContainerRuntime } from '../../src/kube/index.ts'

type LogOptions = Parameters<ContainerRuntime['logs']>[2]

interface Line {
  at: number
  text: string
}

export interface HostLog {
  /** Takes in output; what has no end of line yet waits for it. */
  add(chunk: Buffer): void
  /** The program writes no more. */
  end(): void
  read(options: LogOptions): Readable
}

const stamp = (milliseconds: number): string => `${new Date(milliseconds).toISOString().slice(0, 23)}000000Z`

export const createHostLog = (now: () => number): HostLog => {
  const lines: Line[] = []
  const followers = new Set<() => void>()
  let rest = ''
  let ended = false

  const tell = (): void => {
    for (const follower of [...followers]) follower()
  }

  return {
    add(chunk) {
      const parts = (rest + chunk.toString('utf8')).split('\n')
      rest = parts.pop()!
      for (const text of parts) lines.push({ at: now(), text })
      tell()
    },
    end() {
      if (rest !== '') lines.push({ at: now(), text: rest })
      ended = true
      tell()
    },
    read({ follow, timestamps, tailLines, sinceTime = 0, limitBytes = Number.POSITIVE_INFINITY }) {
      const wanted = lines.findIndex(({ at }) => at >= sinceTime)
      const since = wanted < 0 ? lines.length : wanted
      let next = tailLines === undefined ? since : Math.max(since, lines.length - tailLines)
      let bytesLeft = limitBytes
      const push = (): void => {
        for (; next < lines.length && bytesLeft > 0; next += 1) {
          const { at, text } = lines[next]!
          const bytes = Buffer.from(`${timestamps ? `${stamp(at)} ` : ''}${text}\n`)
          stream.push(bytes.subarray(0, bytesLeft))
          bytesLeft -= bytes.length
        }
        if (!follow || ended || bytesLeft <= 0) {
          followers.delete(push)
          stream.push(null)
        }
      }
      const stream = new Readable({
        read() {},
        destroy(error, done) {
          followers.delete(push)
          done(error)
        },
      })
      followers.add(push)
      push()
      return stream
    },
  }
}

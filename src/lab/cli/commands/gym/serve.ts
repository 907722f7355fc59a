/** `remedium gym serve`: a gym over HTTP and WebSockets, for clients of OpenEnv. */
import { RemediumError } from '#spec'
import { defineCommand } from '../../define-command.ts'
import { GYM_OPTIONS, openGym } from '../../gym/open-gym.ts'

/** Parses `ADDRESS:PORT`, `[ADDRESS]:PORT` or `PORT`. */
const parseListen = (text: string): { host: string; port: number } => {
  const [, bracketed, plain, port] = /^(?:(?:\[([^\]]+)\]|([^:[\]]+)):)?(\d{1,5})$/.exec(text) ?? []
  if (port === undefined || Number(port) > 65_535)
    throw new RemediumError('bad-argument', `--listen must be ADDRESS:PORT, but "${text}" was given.`)
  return { host: bracketed ?? plain ?? '127.0.0.1', port: Number(port) }
}

export const serve = defineCommand({
  summary: 'Serve a gym over HTTP and WebSockets, for trainers that use OpenEnv',
  examples: [
    'remedium gym serve --suite easy                           on 127.0.0.1:8000',
    'remedium gym serve --listen 0.0.0.0:9000 --workers 2      for other machines: there is no login, so use a trusted network',
  ],
  options: {
    listen: {
      type: 'string',
      value: 'ADDRESS:PORT',
      about: 'the address; port 0 is any free port',
      default: '127.0.0.1:8000',
      isNonEmpty: true,
    },
    'idle-minutes': {
      type: 'integer',
      value: 'N',
      about: 'a session without a message for this time ends',
      default: 30,
      min: 1,
      max: 1440,
    },
    ...GYM_OPTIONS,
  },
  async run({ options, root, progress, answer }) {
    const { host, port } = parseListen(options.listen)
    const { waitForStopSignal } = await import('#kit')
    const { serveGym } = await import('#lab/gym')
    const gym = await openGym(options, { root, progress })
    try {
      const server = await serveGym({ gym, host, port, idleMs: options['idle-minutes'] * 60_000 })
      const { url } = server
      answer(
        { url, problems: gym.problems.size, maxSessions: gym.maxSessions },
        `The gym listens at ${url}. Press Ctrl-C to stop it.`,
      )
      await waitForStopSignal()
      await server.close()
    } finally {
      await gym.close()
    }
    return 0
  },
})

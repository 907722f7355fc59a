/** The programs of well-known images on a simulated cluster. */
import type { ProgramImage } from '#platform/engines/sim/runtime'
import { wellKnownRepository } from '#platform/kube/simulated'
import {
  type HttpRequestContent,
  type HttpResponseContent,
  type SimulatedProgram,
  UnsupportedCommand,
} from '#spec'

const waitForTermination = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })

const pause: SimulatedProgram = ({ termination }) => waitForTermination(termination)

/** Like `answer` of the web server on a local cluster; the only file is the index page. */
const answer = (server: string, welcome: string, { target }: HttpRequestContent): HttpResponseContent => {
  const isIndex = target === '/' || target === '/index.html'
  const title = isIndex ? welcome : '404 Not Found'
  const text = isIndex ? 'The web server works.' : server
  const body = `<!DOCTYPE html>\n<html>\n<head><title>${title}</title></head>\n<body>\n<h1>${title}</h1>\n<p>${text}</p>\n</body>\n</html>\n`
  return { status: isIndex ? 200 : 404, headers: { server, 'content-type': 'text/html' }, body }
}

const HEADER_BYTES = 150
const PORT = 80

const webServer =
  (server: string, welcome: string): SimulatedProgram =>
  async ({ network, termination }) => {
    network.listen(PORT, () => async ({ content }) => {
      const response = answer(server, welcome, content as HttpRequestContent)
      return { content: response, bytes: response.body.length + HEADER_BYTES }
    })
    await waitForTermination(termination)
  }

const shell = (command: string, sizeBytes: number): ProgramImage => ({ command: [command], sizeBytes })

/** The program of an image that is not modelled. */
const unsupported = (name: string, sizeBytes: number): ProgramImage => ({
  entrypoint: [name],
  main: async () => {
    throw new UnsupportedCommand(`the program ${name}`)
  },
  sizeBytes,
})

const PAUSE: ProgramImage = {
  entrypoint: ['/pause'],
  main: pause,
  user: 65_535,
  isBare: true,
  sizeBytes: 320_000,
}

const PROGRAMS: Readonly<Record<string, ProgramImage>> = {
  'docker.io/library/busybox': shell('sh', 2_200_000),
  'docker.io/library/alpine': shell('/bin/sh', 3_600_000),
  'docker.io/library/debian': shell('bash', 48_000_000),
  'docker.io/library/ubuntu': shell('/bin/bash', 29_000_000),
  'docker.io/library/python': unsupported('python3', 130_000_000),
  'docker.io/library/node': unsupported('node', 160_000_000),
  'docker.io/curlimages/curl': { ...unsupported('curl', 9_800_000), user: 100 },
  'docker.io/library/nginx': {
    entrypoint: ['nginx'],
    main: webServer('nginx', 'Welcome to nginx!'),
    sizeBytes: 72_000_000,
  },
  'docker.io/library/httpd': {
    entrypoint: ['httpd'],
    main: webServer('Apache', 'It works!'),
    sizeBytes: 72_000_000,
  },
  'registry.k8s.io/pause': PAUSE,
  'docker.io/library/pause': PAUSE,
}

/** `image` is a full name. */
export const wellKnownPrograms = (image: string): ProgramImage | undefined => {
  const repository = wellKnownRepository(image)
  return repository === undefined ? undefined : PROGRAMS[repository]
}

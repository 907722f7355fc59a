/**
 * A small web server in place of nginx and httpd. It serves the files of one folder, logs each request to
 * stdout, and stops gracefully. Its settings are in the environment variable WEB_SERVER, as JSON.
 */
import { createReadStream, existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { extname, join, normalize } from 'node:path'
import { pipeline } from 'node:stream'

interface Settings {
  /** The name in the Server header and on the pages. */
  server: string
  /** The folder whose files it serves. */
  root: string
  port: number
  /** The text of the index page if the folder has none. */
  welcome: string
}

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.css': 'text/css',
  '.js': 'application/javascript',
  '.json': 'application/json',
  '.txt': 'text/plain',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
}
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

const { server: name, root, port, welcome } = JSON.parse(process.env.WEB_SERVER ?? '{}') as Settings

const renderPage = (title: string, text: string): string =>
  `<!DOCTYPE html>\n<html>\n<head><title>${title}</title></head>\n<body>\n<h1>${title}</h1>\n<p>${text}</p>\n</body>\n</html>\n`

const INDEX = renderPage(welcome, 'The web server works.')

/** For example `15/Nov/2026:06:00:00 +0000`. */
const logTime = (time: Date): string => {
  const twoDigits = (value: number): string => String(value).padStart(2, '0')
  const day = `${twoDigits(time.getUTCDate())}/${MONTHS[time.getUTCMonth()]}/${time.getUTCFullYear()}`
  const clock = [time.getUTCHours(), time.getUTCMinutes(), time.getUTCSeconds()].map(twoDigits).join(':')
  return `${day}:${clock} +0000`
}

const logRequest = (request: IncomingMessage, status: number, bytes: number): void => {
  const { method, url, httpVersion, headers } = request
  const address = request.socket.remoteAddress?.replace('::ffff:', '') ?? '-'
  const requestLine = `"${method} ${url} HTTP/${httpVersion}"`
  const client = `"${headers.referer ?? '-'}" "${headers['user-agent'] ?? '-'}"`
  console.log(`${address} - - [${logTime(new Date())}] ${requestLine} ${status} ${bytes} ${client}`)
}

const answer = (request: IncomingMessage, response: ServerResponse, status: number, text: string): void => {
  const body = Buffer.from(text)
  response.writeHead(status, { 'Content-Type': 'text/html', 'Content-Length': body.length })
  response.end(request.method === 'HEAD' ? undefined : body)
  logRequest(request, status, body.length)
}

/** The file of a request path; the index page for a folder. */
const findFile = (path: string): { file: string; size: number } | undefined => {
  const location = join(root, normalize(`/${path}`))
  try {
    for (const file of [location, join(location, 'index.html')]) {
      const found = statSync(file, { throwIfNoEntry: false })
      if (found?.isFile()) return { file, size: found.size }
    }
  } catch {
    // The name is invalid or not accessible.
  }
  return undefined
}

/** Undefined if the path is invalid. */
const pathOf = ({ url = '/' }: IncomingMessage): string | undefined => {
  // Some clients send an absolute URL.
  const [path = ''] = url.replace(/^https?:\/\/[^/?#]*/i, '').split(/[?#]/)
  try {
    const decoded = decodeURIComponent(path)
    return decoded.includes('\0') ? undefined : decoded || '/'
  } catch {
    return undefined
  }
}

const sendFile = (
  request: IncomingMessage,
  response: ServerResponse,
  { file, size }: { file: string; size: number },
): void => {
  const type = CONTENT_TYPES[extname(file)] ?? 'application/octet-stream'
  response.writeHead(200, { 'Content-Type': type, 'Content-Length': size })
  logRequest(request, 200, size)
  if (request.method === 'HEAD') response.end()
  // Also closes the file when the client disconnects early.
  else pipeline(createReadStream(file), response, () => {})
}

const serve = (request: IncomingMessage, response: ServerResponse): void => {
  response.setHeader('Server', name)
  const path = pathOf(request)
  const found = path === undefined ? undefined : findFile(path)
  const refuse = (status: number, reason: string): void =>
    answer(request, response, status, renderPage(`${status} ${reason}`, name))
  if (request.method !== 'GET' && request.method !== 'HEAD') refuse(405, 'Not Allowed')
  else if (path === undefined) refuse(400, 'Bad Request')
  else if (found !== undefined) sendFile(request, response, found)
  else if (path === '/' && !existsSync(root)) answer(request, response, 200, INDEX)
  else if (path.endsWith('/') && existsSync(join(root, normalize(`/${path}`)))) refuse(403, 'Forbidden')
  else refuse(404, 'Not Found')
}

if (!existsSync(root))
  try {
    mkdirSync(root, { recursive: true })
    writeFileSync(join(root, 'index.html'), INDEX)
  } catch {
    // The root filesystem is read-only: the page is served from memory.
  }

const server = createServer(serve)
server.on('error', (error: NodeJS.ErrnoException) => {
  console.error(`${name}: [emerg] listen on 0.0.0.0:${port} failed (${error.code})`)
  process.exit(1)
})
server.listen(port, '0.0.0.0', () => console.error(`${name}: [notice] ready on port ${port}`))

process.on('SIGTERM', () => process.exit(0))
process.on('SIGINT', () => process.exit(0))
// Graceful stop: open requests are finished first.
for (const signal of ['SIGQUIT', 'SIGWINCH'] as const)
  process.on(signal, () => {
    server.close(() => process.exit(0))
    server.closeIdleConnections()
  })

/** Tests certificates with Node, OpenSSL and Python. */
import { execFile, execFileSync } from 'node:child_process'
import { X509Certificate } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TLSSocket } from 'node:tls'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createRealClock, createVirtualClock } from '#kit'
import { createCertificateAuthority } from './certificate-authority.ts'

const OPENSSL = 'openssl'
const authority = createCertificateAuthority(createRealClock())
const server = authority.issueServer(['localhost', '127.0.0.1', '::1', 'fe80::1:2', '::ffff:10.0.0.1'])
const client = authority.issueClient('ann', ['devs', 'ops'])

describe('the authority', () => {
  it('signs server and client certificates that chain to it', () => {
    const root = new X509Certificate(authority.certificate)
    expect(root.ca).toBe(true)
    for (const { certificate } of [server, client]) {
      const leaf = new X509Certificate(certificate)
      expect(leaf.ca).toBe(false)
      expect(leaf.verify(root.publicKey)).toBe(true)
      expect(leaf.checkIssued(root)).toBe(true)
      expect(leaf.serialNumber.length).toBeGreaterThan(30)
    }
    expect(new X509Certificate(client.certificate).subject).toBe('O=devs\nO=ops\nCN=ann')
  })

  it('issues server certificates for names and for IPv4 and IPv6 addresses', () => {
    const leaf = new X509Certificate(server.certificate)
    expect(leaf.checkHost('localhost')).toBe('localhost')
    for (const address of ['127.0.0.1', '::1', 'fe80::1:2', '::ffff:10.0.0.1'])
      expect(leaf.checkIP(address)).toBe(address)
    expect(leaf.checkIP('127.0.0.2')).toBeUndefined()
  })

  it('takes the validity from the clock, even after 2049', () => {
    const late = createCertificateAuthority(createVirtualClock(Date.UTC(2045, 5, 1, 12)))
    const root = new X509Certificate(late.certificate)
    expect(root.validFromDate).toEqual(new Date(Date.UTC(2045, 5, 1, 11)))
    expect(root.validToDate.getUTCFullYear()).toBe(2055)
    expect(new X509Certificate(late.issueClient('x').certificate).validToDate.getUTCFullYear()).toBe(2046)
  })
})

describe('other programs', () => {
  let folder = ''
  const pathOf = (name: string): string => join(folder, name)
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'remedium-pki-'))
    writeFileSync(pathOf('ca.crt'), authority.certificate)
    writeFileSync(pathOf('server.crt'), server.certificate)
    writeFileSync(pathOf('client.crt'), client.certificate)
    writeFileSync(pathOf('client.key'), client.key)
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  it.each([
    ['sslserver', 'server.crt'],
    ['sslclient', 'client.crt'],
  ])('OpenSSL accepts the certificates in strict mode as %s', (purpose, file) => {
    const flags = ['verify', '-x509_strict', '-purpose', purpose, '-CAfile', pathOf('ca.crt'), pathOf(file)]
    expect(execFileSync(OPENSSL, flags, { encoding: 'utf8' })).toContain(': OK')
  })

  it('Python connects in strict mode, and the server reads the user and the groups', async () => {
    const tls = { cert: server.certificate, key: server.key, ca: authority.certificate, requestCert: true }
    const listening = createServer(tls, (request, response) => {
      const socket = request.socket as TLSSocket
      response.end(JSON.stringify({ authorized: socket.authorized, ...socket.getPeerCertificate().subject }))
    })
    await new Promise<void>((resolve) => {
      listening.listen(0, '127.0.0.1', resolve)
    })
    const script = [
      'import ssl, sys, urllib.request',
      'ca, cert, key, port = sys.argv[1:]',
      'context = ssl.create_default_context(cafile=ca)',
      'context.verify_flags |= ssl.VERIFY_X509_STRICT',
      'context.load_cert_chain(cert, key)',
      "print(urllib.request.urlopen(f'https://127.0.0.1:{port}/', context=context).read().decode())",
    ].join('\n')
    const { port } = listening.address() as AddressInfo
    const files = [pathOf('ca.crt'), pathOf('client.crt'), pathOf('client.key')]
    const { stdout } = await promisify(execFile)('python3', ['-c', script, ...files, String(port)])
    expect(JSON.parse(stdout)).toEqual({ authorized: true, CN: 'ann', O: ['devs', 'ops'] })
    listening.close()
  })
})

/** Tests of the validation of names and metadata. */
import { describe, expect, it } from 'vitest'
import { labelValueProblems, nameProblems, qualifiedNameProblems, validateMetadata } from './names.ts'

const SUBDOMAIN_MESSAGE =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
const LABEL_MESSAGE =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')"
const NAME_MESSAGE =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"

describe('nameProblems', () => {
  it('accepts valid names', () => {
    expect(nameProblems('web-1.example', 'subdomain')).toEqual([])
    expect(nameProblems('1-web', 'label')).toEqual([])
    expect(nameProblems('web-1', 'label-1035')).toEqual([])
    expect(nameProblems('system:node', 'path-segment')).toEqual([])
    expect(nameProblems('a'.repeat(253), 'subdomain')).toEqual([])
    expect(nameProblems('a'.repeat(63), 'label')).toEqual([])
  })

  it('rejects invalid names with the messages of kube-apiserver', () => {
    expect(nameProblems('Web', 'subdomain')).toEqual([SUBDOMAIN_MESSAGE])
    expect(nameProblems('web..x', 'subdomain')).toEqual([SUBDOMAIN_MESSAGE])
    expect(nameProblems('web\n', 'subdomain')).toEqual([SUBDOMAIN_MESSAGE])
    expect(nameProblems('a'.repeat(254), 'subdomain')).toEqual(['must be no more than 253 characters'])
    expect(nameProblems('web_1', 'label')).toEqual([LABEL_MESSAGE])
    expect(nameProblems('web.1', 'label')).toEqual(['must not contain dots'])
    expect(nameProblems('a'.repeat(64), 'label')).toEqual(['must be no more than 63 characters'])
    expect(nameProblems('1web', 'label-1035')).toEqual([
      "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')",
    ])
    expect(nameProblems('..', 'path-segment')).toEqual(["may not be '..'"])
    expect(nameProblems('a/b%c', 'path-segment')).toEqual(["may not contain '/'", "may not contain '%'"])
  })
})

describe('qualifiedNameProblems', () => {
  it('allows one prefix', () => {
    for (const key of ['app', 'app.kubernetes.io/name', 'A_b.c-1', 'x/Y'])
      expect(qualifiedNameProblems(key)).toEqual([])
    expect(qualifiedNameProblems('/x')).toEqual(['prefix part must be non-empty'])
    expect(qualifiedNameProblems('UP/x')).toEqual([`prefix part ${SUBDOMAIN_MESSAGE}`])
    expect(qualifiedNameProblems('x/')).toEqual(['name part must be non-empty', NAME_MESSAGE])
    expect(qualifiedNameProblems('')).toEqual(['name part must be non-empty', NAME_MESSAGE])
    expect(qualifiedNameProblems('a'.repeat(64))).toEqual(['name part must be no more than 63 characters'])
  })
})

describe('labelValueProblems', () => {
  it('counts bytes', () => {
    expect(labelValueProblems('')).toEqual([])
    expect(labelValueProblems('é'.repeat(32))).toHaveLength(2)
    expect(labelValueProblems('é'.repeat(31))).toHaveLength(1)
  })
})

describe('validateMetadata', () => {
  const errorsOf = (metadata: object, namespaced = true, allowUnqualifiedFinalizers = false): string[] =>
    validateMetadata(
      { name: 'web', namespace: 'default', ...metadata },
      { namespaced, allowUnqualifiedFinalizers },
    ).map(({ field, message }) => `${field}: ${message}`)

  it('accepts valid metadata', () => {
    expect(errorsOf({ labels: { app: 'web' }, annotations: { 'Example.com/Note': 'any text' } })).toEqual([])
    expect(errorsOf({ namespace: undefined }, false)).toEqual([])
    expect(errorsOf({ generateName: 'web-', finalizers: ['foregroundDeletion'] })).toEqual([])
  })

  it('requires a name, and validates generateName', () => {
    expect(errorsOf({ name: '' })).toEqual([
      'metadata.name: Required value: name or generateName is required',
    ])
    expect(errorsOf({ generateName: '-' })).toEqual([
      `metadata.generateName: Invalid value: "-": ${SUBDOMAIN_MESSAGE}`,
    ])
    expect(errorsOf({ generateName: 'Web-' })).toEqual([
      `metadata.generateName: Invalid value: "Web-": ${SUBDOMAIN_MESSAGE}`,
    ])
  })

  it('requires a valid namespace on namespaced kinds, and forbids one on other kinds', () => {
    expect(errorsOf({}, false)).toEqual(['metadata.namespace: Forbidden: not allowed on this type'])
    expect(errorsOf({ namespace: '' })).toEqual(['metadata.namespace: Required value'])
    expect(errorsOf({ namespace: 'a.b' })).toEqual([
      'metadata.namespace: Invalid value: "a.b": must not contain dots',
    ])
  })

  it('validates labels, annotations, owners and finalizers', () => {
    expect(errorsOf({ labels: { '-a': '-b' } }).map((text) => text.slice(0, 40))).toEqual([
      'metadata.labels: Invalid value: "-a": na',
      'metadata.labels: Invalid value: "-b": a ',
    ])
    expect(errorsOf({ annotations: { a: 'é'.repeat(2 ** 17) } })).toEqual([
      'metadata.annotations: Too long: may not be more than 262144 bytes',
    ])
    expect(errorsOf({ ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: '', uid: 'u' }] })).toEqual([
      'metadata.ownerReferences.name: Invalid value: "": must not be empty',
    ])
    expect(errorsOf({ finalizers: ['a.io/bad name'] })).toEqual([
      `metadata.finalizers: Invalid value: "a.io/bad name": ${NAME_MESSAGE}`,
    ])
    expect(errorsOf({ finalizers: ['kubernetes', 'a.io/b', 'zz'] })).toEqual([
      'metadata.finalizers[2]: Invalid value: "zz": name is neither a standard finalizer name nor is it fully qualified',
    ])
    expect(errorsOf({ finalizers: ['zz'] }, true, true)).toEqual([])
    expect(errorsOf({ finalizers: ['orphan', 'foregroundDeletion'] })).toEqual([
      'metadata.finalizers: Invalid value: []string{"orphan", "foregroundDeletion"}: finalizer orphan and foregroundDeletion cannot be both set',
    ])
  })
})

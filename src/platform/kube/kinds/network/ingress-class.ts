/** The IngressClass kind. */
import type { IngressClass } from 'kubernetes-types/networking/v1.d.ts'
import { type FieldError, invalid, nameProblems, required, type Stored } from '#platform/kube/meta'
import { defineKind } from '../define-kind.ts'
import { ageCell, ageColumn, nameColumn, textColumn } from '../standard-columns.ts'

const PATH = /^[A-Za-z0-9/\-._~%!$&'()*+,;=:]+$/

const validateController = (controller: string): FieldError[] => {
  const field = 'spec.controller'
  if (controller === '') return [required(field)]
  const slash = controller.indexOf('/')
  const [domain, path] = [controller.slice(0, slash), controller.slice(slash + 1)]
  if (slash < 0 || domain === '' || path === '') {
    return [invalid(field, controller, 'must be a domain-prefixed path (such as "acme.io/foo")')]
  }
  return [
    ...nameProblems(domain, 'subdomain').map((problem) => invalid(field, domain, problem)),
    ...(PATH.test(path)
      ? []
      : [
          invalid(
            field,
            path,
            "Invalid path (regex used for validation is '[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+')",
          ),
        ]),
  ]
}

const parametersText = (ingressClass: Stored<IngressClass>): string => {
  const parameters = ingressClass.spec.parameters
  if (parameters === undefined) return '<none>'
  const { apiGroup, kind, name } = parameters
  return `${kind}${apiGroup === undefined ? '' : `.${apiGroup}`}/${name}`
}

export const ingressClasses = defineKind<IngressClass>({
  group: 'networking.k8s.io',
  version: 'v1',
  kind: 'IngressClass',
  plural: 'ingressclasses',
  singular: 'ingressclass',
  namespaced: false,
  hasStatus: false,
  hasGeneration: true,
  defaults: (draft) => {
    draft.spec ??= {}
    if (draft.spec.parameters !== undefined) draft.spec.parameters.scope ??= 'Cluster'
  },
  validate: ({ spec }, old) => [
    ...validateController(spec.controller ?? ''),
    ...(old !== undefined && old.spec.controller !== spec.controller
      ? [invalid('spec.controller', spec.controller, 'field is immutable')]
      : []),
  ],
  columns: [
    nameColumn,
    textColumn('Controller', 'Controller that is responsible for handling this class'),
    textColumn('Parameters', 'A reference to a resource with additional parameters'),
    ageColumn,
  ],
  row: (ingressClass, context) => [
    ingressClass.metadata.name,
    ingressClass.spec.controller ?? '',
    parametersText(ingressClass),
    ageCell(ingressClass, context),
  ],
})

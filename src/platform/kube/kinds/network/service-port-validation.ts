/** Validates the ports of a Service. */
import type { ServicePort } from 'kubernetes-types/core/v1.d.ts'
import {
  duplicate,
  type FieldError,
  invalid,
  nameProblems,
  qualifiedNameProblems,
  required,
} from '#platform/kube/meta'
import { validatePort, validatePortOrName, validateProtocol } from '../validation/network-values.ts'

export const validateServicePort = (
  port: ServicePort,
  isNameRequired: boolean,
  field: string,
): FieldError[] => {
  const { name = '', protocol = '', appProtocol } = port
  return [
    ...(name === ''
      ? isNameRequired
        ? [required(`${field}.name`)]
        : []
      : nameProblems(name, 'label').map((problem) => invalid(`${field}.name`, name, problem))),
    ...validatePort(port.port, `${field}.port`),
    ...validateProtocol(protocol, `${field}.protocol`),
    ...validatePortOrName(port.targetPort, `${field}.targetPort`),
    ...(appProtocol === undefined
      ? []
      : qualifiedNameProblems(appProtocol).map((problem) =>
          invalid(`${field}.appProtocol`, appProtocol, problem),
        )),
  ]
}

const goServicePort = ({ protocol = 'TCP', port }: ServicePort): { go: string } => ({
  go: `core.ServicePort{Name:"", Protocol:${JSON.stringify(protocol)}, AppProtocol:(*string)(nil), Port:${port}, TargetPort:intstr.IntOrString{Type:0, IntVal:0, StrVal:""}, NodePort:0}`,
})

/** Rejects ports that share a name, a node port, or both number and protocol. */
export const validateDistinctPorts = (ports: readonly ServicePort[]): FieldError[] => {
  const seen = new Set<string>()
  const isRepeated = (key: string): boolean => seen.has(key) || !seen.add(key)
  return ports.flatMap((port, index) => {
    const { name = '', protocol = 'TCP', nodePort = 0 } = port
    const field = `spec.ports[${index}]`
    return [
      ...(name !== '' && isRepeated(`name ${name}`) ? [duplicate(`${field}.name`, name)] : []),
      ...(nodePort !== 0 && isRepeated(`node port ${nodePort}/${protocol}`)
        ? [duplicate(`${field}.nodePort`, nodePort)]
        : []),
      ...(isRepeated(`port ${port.port}/${protocol}`) ? [duplicate(field, goServicePort(port))] : []),
    ]
  })
}

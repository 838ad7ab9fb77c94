/** What VMs of the project find something by, one name a line. */
export function Names({ names }: { names: readonly string[] }) {
  return names.map((name, at) => (
    <span key={name} className={at === 0 ? 'mono block' : 'mono block text-ink-3'}>
      {name}
    </span>
  ))
}

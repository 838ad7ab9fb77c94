import { Download, Ear, Ellipsis, PictureInPicture2 } from 'lucide-react'
import { IconButton } from '../../ui/Button.tsx'
import { Menu } from '../../ui/Menu.tsx'
import type { Terminal } from './use-terminal.ts'

const menuIcon = { size: 16, strokeWidth: 1.6, 'aria-hidden': true } as const

interface MoreMenuProps {
  terminal: Terminal
  alone: boolean
  logPath: string
  windowPath: string
}

/** What is needed less often. */
export function MoreMenu({ terminal, alone, logPath, windowPath }: MoreMenuProps) {
  return (
    <Menu
      label="More of the console"
      trigger={<IconButton size="sm" label="More of the console" icon={<Ellipsis {...menuIcon} />} />}
      items={[
        {
          label: 'Download log',
          icon: <Download {...menuIcon} />,
          // biome-ignore lint/a11y/useAnchorContent: the menu puts the label in.
          render: <a href={logPath} download />,
        },
        ...(alone
          ? []
          : [
              {
                label: 'Open in its own window',
                icon: <PictureInPicture2 {...menuIcon} />,
                onSelect: () => openWindow(windowPath),
              },
            ]),
        'separator',
        {
          label: terminal.reads ? 'Stop reading aloud' : 'Let screen readers read along',
          icon: <Ear {...menuIcon} />,
          onSelect: () => terminal.setReads(!terminal.reads),
        },
      ]}
    />
  )
}

/** One window for each VM: opening it again brings it to the front. */
function openWindow(path: string): void {
  window.open(path, path, 'popup,width=980,height=680')
}

#!/usr/bin/env python3
"""Reads Khronos' lists of OpenGL's and GLX's functions, and the word that entry_points.txt has for each of them.

    entry_points.py check LIBRARY [WORDS]   every function has one word, what `write` writes is checked in, and the
                                            library exports exactly what has a word for wrapped functions
    entry_points.py write                   writes src/gl/aliases.cpp and docs/reference/entry-points.md
"""
import pathlib
import re
import subprocess
import sys
import textwrap
import xml.etree.ElementTree as ElementTree

HERE = pathlib.Path(__file__).resolve().parent
REGISTRY = pathlib.Path('/usr/share/khronos-api')
WRAPPED = {'translate': 'What is translated',
           'agree': 'What the ranks agree on',
           'note': 'What is noted, for the comparison of ranks, and passed on as it is'}
PASSED = ('pass', 'lack')


class Function:
    def __init__(self, command, home):
        self.name = command.findtext('proto/name')
        self.home = home  # the version or extension that it came with
        alias = command.find('alias')
        self.alias = alias.get('name') if alias is not None else None
        text = [''.join(part.itertext()).strip() for part in [command.find('proto'), *command.findall('param')]]
        self.result = re.sub(r'\s*\b%s$' % self.name, '', text[0])
        self.parameters = text[1:]
        self.arguments = [part.findtext('name') for part in command.findall('param')]


def functions_of(file, said):
    """Those of OpenGL, OpenGL ES from 2.0 on or GLX, and others that have a word, by name."""
    root = ElementTree.parse(REGISTRY / file).getroot()
    homes = {}
    for place in [*root.findall('feature'), *root.findall('extensions/extension')]:
        if not {'gl', 'glcore', 'gles2', 'glx'} & set((place.get('api') or place.get('supported')).split('|')):
            continue
        for required in place.findall('require'):
            if required.get('api') in (None, 'gl', 'glcore', 'gles2'):
                for command in required.findall('command'):
                    homes.setdefault(command.get('name'), place.get('name'))
    commands = [Function(command, homes.get(command.findtext('proto/name'))) for command in root.find('commands')]
    return {function.name: function for function in commands if function.home or function.name in said}


def words(file):
    """The word of each function, and of each version or extension, that the file names."""
    found = {}
    for line in pathlib.Path(file).read_text().splitlines():
        word, *names = line.split('#')[0].split() or [None]
        for name in names:
            if word not in (*WRAPPED, *PASSED) or found.get(name, word) != word:
                sys.exit(f'{file}: {name} has the word {word}, expected one of '
                         f'{", ".join((*WRAPPED, *PASSED))}, and no other word for it')
            found[name] = word
    return found


def table(functions, said):
    """Each function's word; a spelling of a wrapped function has that function's unless it has its own."""
    chosen, missing = {}, []
    for function in functions.values():
        word = said.get(function.name)
        if not word and said.get(function.alias) in WRAPPED:
            word = said[function.alias]
        word = word or said.get(function.home)
        if word:
            chosen[function.name] = word
        else:
            missing.append(f'{function.name} ({function.home})')
    if missing:
        sys.exit('without a word in mpiglut/entry_points.txt: ' + ', '.join(missing))
    unknown = set(said) - set(functions) - {function.home for function in functions.values()}
    if unknown:
        sys.exit('no function, version or extension: ' + ', '.join(sorted(unknown)))
    return chosen


def aliases(functions, chosen, said):
    """Functions that are another one's spelling, and wrapped because that one is."""
    lines = ['// Other spellings of wrapped functions. Written by entry_points.py; do not edit.',
             '#include "base/export.h"', '', '#include <GL/gl.h>', '#include <GL/glext.h>', '',
             '// clang-format off']
    for name in sorted(chosen):
        function = functions[name]
        if chosen[name] in WRAPPED and name not in said:
            give = '' if function.result == 'void' else 'return '
            call = (f'MPIGLUT_EXPORT {function.result} {name}({", ".join(function.parameters)}) '
                    f'{{ {give}{function.alias}({", ".join(function.arguments)}); }}')
            lines += textwrap.wrap(call, 120, subsequent_indent='    ')
    return '\n'.join(lines) + '\n'


def page(chosen):
    lines = ['# Entry points', '',
             'This page says what a wall does with each function of OpenGL and GLX. Other functions pass unchanged.',
             '[What is translated](walls.md#what-is-translated-and-what-is-not) says how.']
    lacking = 'What belongs to the window and is not translated'
    for word, heading in {**WRAPPED, 'lack': lacking}.items():
        names = ', '.join(f'`{name}`' for name in sorted(chosen) if chosen[name] == word)
        lines += ['', f'## {heading}', *textwrap.wrap(names, 120)]
    return '\n'.join(lines) + '\n'


def exported(library):
    table_of_symbols = subprocess.run(['nm', '-D', '--defined-only', library], capture_output=True, text=True, check=True)
    return set(re.findall(r' T (gl(?:X)?(?!ut)[A-Z]\w*)', table_of_symbols.stdout))


def main(command, library=None, file=HERE / 'entry_points.txt'):
    said = words(file)
    functions = {**functions_of('gl.xml', said), **functions_of('glx.xml', said)}
    chosen = table(functions, said)
    files = {HERE / 'src/gl/aliases.cpp': aliases(functions, chosen, said),
             HERE.parent / 'docs/reference/entry-points.md': page(chosen)}
    for path, text in files.items():
        if command == 'write':
            path.write_text(text)
        elif not path.exists() or path.read_text() != text:
            sys.exit(f'{path} is out of date: mpiglut/entry_points.py write')
    wrapped = {name for name, word in chosen.items() if word in WRAPPED}
    odd = sorted(wrapped ^ exported(library)) if library else []
    for name in odd:
        print(name, 'has the word', chosen.get(name), 'and', 'no wrapper' if name in wrapped else 'a wrapper')
    sys.exit(bool(odd))


if len(sys.argv) < 2 or sys.argv[1] not in ('check', 'write'):
    sys.exit(__doc__)
main(*sys.argv[1:4])

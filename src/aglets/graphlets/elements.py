"""Symbols and numbers of the elements, and the names of those that molecules are made of."""

from __future__ import annotations

__all__ = ["ATOMIC_NUMBER", "ELEMENT_NAMES"]

_SYMBOLS = """
H He Li Be B C N O F Ne Na Mg Al Si P S Cl Ar K Ca Sc Ti V Cr Mn Fe Co Ni Cu Zn Ga Ge As Se Br Kr
Rb Sr Y Zr Nb Mo Tc Ru Rh Pd Ag Cd In Sn Sb Te I Xe Cs Ba La Ce Pr Nd Pm Sm Eu Gd Tb Dy Ho Er Tm Yb
Lu Hf Ta W Re Os Ir Pt Au Hg Tl Pb Bi Po At Rn Fr Ra Ac Th Pa U Np Pu Am Cm Bk Cf Es Fm Md No Lr Rf
Db Sg Bh Hs Mt Ds Rg Cn Nh Fl Mc Lv Ts Og
"""

#: By symbol; 0 for the atom that may be any, which molecules write as ``*``.
ATOMIC_NUMBER = {"*": 0} | {symbol: i for i, symbol in enumerate(_SYMBOLS.split(), start=1)}

ELEMENT_NAMES = {
    **{"*": "any atom", "H": "hydrogen", "B": "boron", "C": "carbon", "N": "nitrogen"},
    **{"O": "oxygen", "F": "fluorine", "Na": "sodium", "Si": "silicon", "P": "phosphorus"},
    **{"S": "sulfur", "Cl": "chlorine", "K": "potassium", "Fe": "iron", "Cu": "copper"},
    **{"Zn": "zinc", "Se": "selenium", "Br": "bromine", "Sn": "tin", "I": "iodine"},
}
